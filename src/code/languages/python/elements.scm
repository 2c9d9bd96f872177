; The constructs that have a syntax of their own. Methods, constructors and class attributes follow from the position of
; a definition.

(class_definition name: (identifier) @name) @class
(decorated_definition definition: (class_definition name: (identifier) @name) @class.decorated) @outer

(function_definition name: (identifier) @name) @function
(decorated_definition definition: (function_definition name: (identifier) @name) @function.decorated) @outer

(assignment left: [
  (identifier) @name
  (pattern_list (identifier) @name)
  (tuple_pattern (identifier) @name)
]) @variable
(assignment left: (identifier) @name right: (lambda) @inner) @function.lambda
(assignment
  left: (attribute object: (identifier) @_self attribute: (identifier) @name)
  (#eq? @_self "self")) @field.instance

(assignment
  left: [
    (pattern_list (attribute object: (identifier) @_self attribute: (identifier) @name))
    (tuple_pattern (attribute object: (identifier) @_self attribute: (identifier) @name))
  ]
  (#eq? @_self "self")) @field.instance

(type_alias_statement left: (_) @name) @type

(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import

(comment) @comment
