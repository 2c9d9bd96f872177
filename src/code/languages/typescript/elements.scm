; What TypeScript adds: types, signatures, namespaces, ambient declarations.

(public_field_definition name: (_) @name) @field
(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @inner) @method.assigned
(abstract_class_declaration name: (_) @name) @class
(export_statement declaration: (abstract_class_declaration name: (_) @name) @class) @outer
(abstract_method_signature name: (_) @name) @method
(method_signature name: (_) @name) @method
(function_signature name: (_) @name) @function
(export_statement declaration: (function_signature name: (_) @name) @function) @outer

(interface_declaration name: (_) @name) @interface
(export_statement declaration: (interface_declaration name: (_) @name) @interface) @outer
(interface_body (property_signature name: (_) @name) @field)
(interface_body (index_signature) @field.index)
(interface_body (call_signature) @method.call)
(interface_body (construct_signature) @method.construct)
(class_body (index_signature) @field.index)

(type_alias_declaration name: (_) @name) @type
(export_statement declaration: (type_alias_declaration name: (_) @name) @type) @outer

(enum_declaration name: (_) @name) @enum
(export_statement declaration: (enum_declaration name: (_) @name) @enum) @outer
(enum_body name: (_) @enum_member @name)
(enum_assignment name: (_) @name) @enum_member

(internal_module name: (_) @name) @namespace
(expression_statement (internal_module name: (_) @name) @namespace) @outer
(export_statement declaration: (internal_module name: (_) @name) @namespace) @outer
(module name: (_) @name) @namespace

(ambient_declaration (function_signature name: (_) @name) @function) @outer
(ambient_declaration (class_declaration name: (_) @name) @class) @outer
(ambient_declaration (module name: (_) @name) @namespace) @outer
(ambient_declaration (internal_module name: (_) @name) @namespace) @outer
(ambient_declaration (lexical_declaration . (variable_declarator name: (_) @name) @variable .)) @outer
(ambient_declaration (variable_declaration . (variable_declarator name: (_) @name) @variable .)) @outer
(import_alias (identifier) @name) @type.alias
