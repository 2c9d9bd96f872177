; The constructs that have a syntax of their own. Imports, namespaces without braces, promoted parameters and attributes
; follow in refine.rs.

(namespace_definition name: (_) @name) @namespace
(namespace_definition !name) @namespace
(namespace_use_declaration) @import
(use_declaration) @import.trait
[
  (require_expression)
  (require_once_expression)
  (include_expression)
  (include_once_expression)
] @import

(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(enum_case name: (_) @name) @enum_member
(anonymous_class) @class.anonymous

(function_definition name: (_) @name) @function
(method_declaration name: (_) @name) @method
(property_declaration (property_element name: (variable_name (name) @name)) @field) @outer
(const_declaration (const_element . (_) @name) @constant) @outer

(function_call_expression
  function: (name) @_function
  arguments: (arguments . (argument (string (string_content) @name)) . (argument (_) @value))
  (#match? @_function "^(?i)define$")) @constant.define
(program (expression_statement
  (assignment_expression left: (variable_name (name) @name) right: (_) @value) @variable) @outer)
(expression_statement
  (assignment_expression
    left: (variable_name (name) @name)
    right: [(anonymous_function) (arrow_function)] @inner) @function.lambda) @outer

(comment) @comment
