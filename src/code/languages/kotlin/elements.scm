; The constructs that have a syntax of their own. Parameters, types and receivers have no fields in the grammar:
; refine.rs reads them.

(package_header) @package
(import) @import

(class_declaration name: (identifier) @name) @class
(class_declaration "interface" name: (identifier) @name) @interface
(class_declaration (modifiers (class_modifier) @_kind) name: (identifier) @name (#eq? @_kind "enum")) @enum
(class_declaration (modifiers (class_modifier) @_kind) name: (identifier) @name (#eq? @_kind "annotation")) @annotation
(object_declaration name: (identifier) @name) @object
(companion_object) @object.companion
(object_literal) @class.anonymous
(enum_entry (identifier) @name) @enum_member

; After two annotations the grammar parses a class without parameters as an expression: `annotation class Marker`.
(infix_expression
  . (identifier) @modifier . (identifier) @_word . (identifier) @name
  (#any-of? @_word "class" "object" "interface")) @class
(infix_expression
  . (identifier) @modifier . (identifier) @_word . (call_expression . (identifier) @name (annotated_lambda) @body)
  (#any-of? @_word "class" "object" "interface")) @class

(primary_constructor) @constructor.primary
(secondary_constructor) @constructor
(anonymous_initializer) @initializer
(function_declaration name: (identifier) @name) @function

(class_parameter ["val" "var"] . (identifier) @name) @field.parameter
(property_declaration (variable_declaration (identifier) @name)) @variable
(property_declaration (multi_variable_declaration (variable_declaration (identifier) @name))) @variable
(getter (function_body)) @method.accessor
(setter (function_body)) @method.accessor
(type_alias type: (identifier) @name) @type

[(line_comment) (block_comment)] @comment
