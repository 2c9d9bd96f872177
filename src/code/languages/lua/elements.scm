; The constructs that have a syntax of their own. Tables that are modules or classes, and their members, follow in
; refine.rs.

(function_declaration name: (_) @name) @function
(function_declaration "local" name: (_) @name) @function.local

(variable_declaration (variable_list name: (identifier) @name)) @variable.local
(variable_declaration
  (variable_list name: (identifier) @name . attribute: (attribute (identifier) @modifier))) @variable.local
(assignment_statement (variable_list name: [(identifier) (dot_index_expression)] @name)) @variable
(variable_declaration (assignment_statement (variable_list name: (identifier) @name)) @variable.local) @outer
(variable_declaration
  (assignment_statement
    (variable_list name: (identifier) @name . attribute: (attribute (identifier) @modifier))) @variable.local) @outer

(assignment_statement
  (variable_list . name: (_) @name .)
  (expression_list . value: (function_definition) @inner .)) @function.assigned
(field name: [(identifier) (string)] @name value: (function_definition) @inner) @function.assigned

(function_call
  name: (identifier) @_call
  arguments: (arguments . (string) @name)
  (#any-of? @_call "require" "dofile" "loadfile")) @import
(function_call
  name: (identifier) @_call
  arguments: (arguments . (identifier) @_function . (string) @name)
  (#eq? @_call "pcall")
  (#eq? @_function "require")) @import.optional

(comment) @comment
