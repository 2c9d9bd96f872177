; Only comments: keys are nested, so a walk in refine.rs finds them.

(comment) @comment
