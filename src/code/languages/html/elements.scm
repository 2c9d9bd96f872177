; Tags. Their attributes, classes and text, and the contents of scripts and styles, follow in refine.rs.

(element [(start_tag (tag_name) @name) (self_closing_tag (tag_name) @name)]) @markup
(script_element (start_tag (tag_name) @name)) @markup
(style_element (start_tag (tag_name) @name)) @markup
(doctype) @markup
(comment) @comment
