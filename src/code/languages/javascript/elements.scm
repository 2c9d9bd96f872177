; Nodes whose names only the grammar of JavaScript uses.

(field_definition property: (_) @name) @field
(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @inner) @method.assigned
(html_comment) @comment
