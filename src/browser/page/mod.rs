//! The script that the browser tools run in the isolated world of every frame. It defines the object `fumi`, whose
//! functions take and return plain JSON. The page can neither see nor change any of it. The script does not act on the
//! page by itself.

/// The whole script, to be evaluated in every new isolated world. A second evaluation has no effect.
pub(crate) const SCRIPT: &str = concat!(
    "if (!globalThis.fumi) (() => {\n'use strict';\n",
    include_str!("dom.js"),
    include_str!("visibility.js"),
    include_str!("roles.js"),
    include_str!("names.js"),
    include_str!("states.js"),
    include_str!("refs.js"),
    include_str!("collapse.js"),
    include_str!("acted.js"),
    include_str!("distil.js"),
    include_str!("walker.js"),
    include_str!("drawing.js"),
    include_str!("render.js"),
    include_str!("text.js"),
    include_str!("html.js"),
    include_str!("snapshot.js"),
    include_str!("targets.js"),
    include_str!("describe.js"),
    include_str!("elements.js"),
    include_str!("clipboard.js"),
    include_str!("frames.js"),
    include_str!("motion.js"),
    include_str!("aim.js"),
    include_str!("press.js"),
    include_str!("forms.js"),
    include_str!("typing.js"),
    include_str!("choices.js"),
    include_str!("popups.js"),
    include_str!("drags.js"),
    include_str!("api.js"),
    "})();\n",
);
