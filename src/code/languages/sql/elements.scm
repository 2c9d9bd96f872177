; Only comments: the grammar parses only a part of each dialect, so refine.rs reads definitions from the words.

[(comment) (marginalia)] @comment
