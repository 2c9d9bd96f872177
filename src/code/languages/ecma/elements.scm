; The constructs with the same nodes in JavaScript and TypeScript. If several patterns match one declarator, the last
; one decides its kind.

(comment) @comment

; Unnamed functions are not elements, but their declarations are local, except in functions that run in place, as
; modules do.
[(arrow_function) (function_expression) (generator_function)] @scope
(call_expression function: (parenthesized_expression [(arrow_function) (function_expression)] @scope.open))
(call_expression function: (function_expression) @scope.open)
(call_expression
  function: (member_expression
    object: [(parenthesized_expression [(arrow_function) (function_expression)] @scope.open)
             (function_expression) @scope.open]))

; Each `@variable.pattern` becomes one variable for each of its names.
(lexical_declaration kind: _ @modifier (variable_declarator name: (identifier) @name) @variable)
(variable_declaration "var" @modifier (variable_declarator name: (identifier) @name) @variable)
(lexical_declaration
  kind: _ @modifier
  (variable_declarator name: [(object_pattern) (array_pattern)] @name) @variable.pattern)
(variable_declaration
  "var" @modifier
  (variable_declarator name: [(object_pattern) (array_pattern)] @name) @variable.pattern)
(export_statement "export" @modifier declaration: (_ (variable_declarator name: (_) @name) @variable))
(for_statement initializer: (_ (variable_declarator name: (_) @name) @variable.loop))

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
(call_expression
  function: (identifier) @_require
  arguments: (arguments . (string))
  (#eq? @_require "require")) @import.require

(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(export_statement declaration: (function_declaration name: (_) @name) @function) @outer
(export_statement declaration: (generator_function_declaration name: (_) @name) @function) @outer
(export_statement declaration: (class_declaration name: (_) @name) @class) @outer
(export_statement value: [(arrow_function) (function_expression) (generator_function)] @function) @outer
(export_statement value: (class) @class) @outer

; All other classes: those that mixins and factories return, values of fields, arguments.
(class) @class

(class_static_block) @initializer.static
(method_definition name: (_) @name) @method
(pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)] @inner) @method

(assignment_expression
  left: [(member_expression) (identifier)] @name
  right: [(arrow_function) (function_expression) (generator_function)] @inner) @function.assigned
(assignment_expression left: [(member_expression) (identifier)] @name right: (class) @inner) @class.assigned
(assignment_expression
  left: [(member_expression) (identifier)] @_left
  (#match? @_left "^(module\\.)?exports(\\.[^.]+)?$")) @export.commonjs

(import_statement) @import
(call_expression function: (import)) @import.dynamic
(export_statement source: (string)) @export.reexport
(export_statement (export_clause)) @export
(export_statement value: (_)) @export.default
