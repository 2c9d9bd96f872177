; Rules and at-rules. Their properties and classes follow in refine.rs.

(rule_set (selectors) @name) @rule
(keyframe_block . (_) @name) @rule
[(media_statement) (supports_statement) (keyframes_statement) (scope_statement) (at_rule)] @at_rule
[(charset_statement) (namespace_statement)] @at_rule
(import_statement) @import
((declaration (property_name) @name) @property (#match? @name "^--"))
[(comment) (js_comment)] @comment
