; The constructs that have a syntax of their own. Names of unnamed classes, implied modifiers and components follow in
; refine.rs.

(package_declaration) @package
(module_declaration name: (_) @name) @namespace
(import_declaration) @import

(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(record_declaration name: (identifier) @name) @record
(annotation_type_declaration name: (identifier) @name) @annotation
(object_creation_expression type: (_) @name (class_body) @body) @class.anonymous

(method_declaration name: (identifier) @name) @method
(annotation_type_element_declaration name: (identifier) @name) @method.element
(constructor_declaration name: (identifier) @name) @constructor
(compact_constructor_declaration name: (identifier) @name) @constructor.compact
(static_initializer) @initializer.static
(class_body (block) @initializer)
(enum_body_declarations (block) @initializer)

(field_declaration declarator: (variable_declarator name: (identifier) @name value: (_)? @value)) @field
(field_declaration declarator: (variable_declarator name: (identifier) @name value: (lambda_expression))) @field.lambda
(constant_declaration declarator: (variable_declarator name: (identifier) @name value: (_)? @value)) @field
(enum_constant name: (identifier) @name arguments: (_)? @value) @enum_member

[(line_comment) (block_comment)] @comment
