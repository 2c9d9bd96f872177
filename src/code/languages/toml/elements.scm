; Only comments: keys nest, so they are found by a walk, in refine.rs.

(comment) @comment
