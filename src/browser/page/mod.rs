//! The page's side of the browser tools: one script for the isolated world of every frame. It defines the object `fumi`,
//! whose functions take and give plain JSON; nothing of it can be seen or changed by the page. It does not act by itself.

/// The whole script; evaluate it once in every new isolated world. A second evaluation does nothing.
pub(crate) const SCRIPT: &str = concat!(
    "if (!globalThis.fumi) (() => {\n'use strict';\n",
    include_str!("dom.js"),
    include_str!("visibility.js"),
    include_str!("roles.js"),
    include_str!("names.js"),
    include_str!("states.js"),
    include_str!("refs.js"),
    include_str!("collapse.js"),
    include_str!("distil.js"),
    include_str!("walker.js"),
    include_str!("render.js"),
    include_str!("text.js"),
    include_str!("html.js"),
    include_str!("snapshot.js"),
    include_str!("targets.js"),
    include_str!("describe.js"),
    include_str!("elements.js"),
    include_str!("frames.js"),
    include_str!("aim.js"),
    include_str!("forms.js"),
    include_str!("api.js"),
    "})();\n",
);
