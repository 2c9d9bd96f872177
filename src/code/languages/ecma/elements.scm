; What JavaScript and TypeScript say alike. Where several patterns meet one declarator, the last decides what it is.

(comment) @comment

(variable_declarator name: (identifier) @name) @variable
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @variable
(variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name))) @variable
(variable_declarator name: (array_pattern (identifier) @name)) @variable

(lexical_declaration . (variable_declarator name: (identifier) @name) @variable .) @outer
(variable_declaration . (variable_declarator name: (identifier) @name) @variable .) @outer
(export_statement
  declaration: (lexical_declaration . (variable_declarator name: (identifier) @name) @variable .)) @outer
(export_statement
  declaration: (variable_declaration . (variable_declarator name: (identifier) @name) @variable .)) @outer

(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @inner) @function.assigned
(variable_declarator name: (identifier) @name value: (class) @inner) @class.assigned
(variable_declarator
  name: (_) @name
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string)))
  (#eq? @_require "require")) @import.require

(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(export_statement declaration: (function_declaration name: (_) @name) @function) @outer
(export_statement declaration: (generator_function_declaration name: (_) @name) @function) @outer
(export_statement declaration: (class_declaration name: (_) @name) @class) @outer
(export_statement value: [(arrow_function) (function_expression) (generator_function)] @function) @outer
(export_statement value: (class) @class) @outer

; Classes that a function makes: mixins and factories.
(arrow_function body: (class) @class)
(return_statement (class) @class)
(arguments (class) @class)

(class_static_block) @initializer.static
(method_definition name: (_) @name) @method
(pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)] @inner) @method

(assignment_expression
  left: (member_expression) @name
  right: [(arrow_function) (function_expression) (generator_function)] @inner) @function.assigned
(assignment_expression left: (member_expression) @name right: (class) @inner) @class.assigned
(assignment_expression
  left: (member_expression) @_left
  right: [(object) (identifier) (new_expression) (call_expression)]
  (#match? @_left "^(module\\.)?exports$")) @export.commonjs

(import_statement) @import
(call_expression function: (import)) @import.dynamic
(export_statement source: (string)) @export.reexport
(export_statement (export_clause)) @export
(export_statement value: (identifier)) @export.default
