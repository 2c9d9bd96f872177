; Only comments: the grammar reads a part of each dialect, so definitions are read off the words, in refine.rs.

[(comment) (marginalia)] @comment
