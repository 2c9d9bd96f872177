; The blocks of a document. The sections of headings and the links within text follow in refine.rs.

(atx_heading heading_content: (inline) @name) @heading
(setext_heading heading_content: (paragraph) @name) @heading
(atx_heading !heading_content) @heading

[(minus_metadata) (plus_metadata)] @front_matter
[(fenced_code_block) (indented_code_block)] @code_block
(list) @list
(pipe_table) @table
(link_reference_definition (link_label) @name) @link
((html_block) @comment (#match? @comment "^\\s*<!--"))
