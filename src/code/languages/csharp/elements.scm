; The constructs that have a syntax of their own. Names of operators and indexers, accessors, visibility and bases
; follow in refine.rs.

(using_directive) @import
(extern_alias_directive name: (_) @name) @import.alias
(namespace_declaration name: (_) @name) @namespace
(file_scoped_namespace_declaration name: (_) @name) @namespace

(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(record_declaration name: (_) @name) @record
(enum_declaration name: (_) @name) @enum
(enum_member_declaration name: (_) @name) @enum_member
(delegate_declaration name: (_) @name) @type.delegate

(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @constructor
(destructor_declaration name: (_) @name) @method.destructor
(operator_declaration) @method.operator
(conversion_operator_declaration) @method.operator
(local_function_statement name: (_) @name) @function

(field_declaration (variable_declaration type: (_) @type_name (variable_declarator name: (_) @name) @field)) @outer
(event_field_declaration (variable_declaration type: (_) @type_name (variable_declarator name: (_) @name) @field.event)) @outer
(event_declaration name: (_) @name) @field.event
(property_declaration name: (_) @name) @field.property
(indexer_declaration) @field.indexer

(comment) @comment
