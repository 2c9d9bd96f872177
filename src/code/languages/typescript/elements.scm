; The constructs that JavaScript does not have: types, signatures, namespaces, ambient declarations.

(public_field_definition name: (_) @name) @field
(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @inner) @method.assigned
(abstract_class_declaration name: (_) @name) @class
(export_statement declaration: (abstract_class_declaration name: (_) @name) @class) @outer
(abstract_method_signature name: (_) @name) @method
(interface_body (method_signature name: (_) @name) @method)
(class_body (method_signature name: (_) @name) @method)
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

(ambient_declaration [
  (function_signature name: (_) @name) @function
  (generator_function_declaration name: (_) @name) @function
  (class_declaration name: (_) @name) @class
  (abstract_class_declaration name: (_) @name) @class
  (interface_declaration name: (_) @name) @interface
  (type_alias_declaration name: (_) @name) @type
  (enum_declaration name: (_) @name) @enum
  (module name: (_) @name) @namespace
  (internal_module name: (_) @name) @namespace
  (lexical_declaration . (variable_declarator name: (identifier) @name) @variable .)
  (variable_declaration . (variable_declarator name: (identifier) @name) @variable .)
]) @outer
(export_statement declaration: (ambient_declaration [
  (function_signature name: (_) @name) @function
  (class_declaration name: (_) @name) @class
  (abstract_class_declaration name: (_) @name) @class
  (interface_declaration name: (_) @name) @interface
  (type_alias_declaration name: (_) @name) @type
  (enum_declaration name: (_) @name) @enum
  (module name: (_) @name) @namespace
  (internal_module name: (_) @name) @namespace
  (lexical_declaration . (variable_declarator name: (identifier) @name) @variable .)
  (variable_declaration . (variable_declarator name: (identifier) @name) @variable .)
])) @outer
(ambient_declaration "global" @name) @namespace
; In an ambient module `global` has no keyword, so the grammar parses it as two statements.
(statement_block
  (expression_statement (identifier) @name) . (statement_block) @namespace
  (#eq? @name "global"))
(statement_block (ERROR (identifier) @name) . (statement_block) @namespace (#eq? @name "global"))
(ambient_declaration "declare" @modifier (_ (variable_declarator name: (_) @name) @variable))

(import_alias . (identifier) @name) @type.alias
(export_statement declaration: (import_alias . (identifier) @name) @type.alias) @outer
(export_statement "=") @export
(export_statement "namespace") @export
