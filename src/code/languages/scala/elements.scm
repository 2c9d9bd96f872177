; The constructs that have a syntax of their own. Parameters, bases, imports, names of givens and extensions, and
; visibility follow in refine.rs.

(package_clause name: (_) @name !body) @package
(package_clause name: (_) @name body: (_)) @namespace
(package_object name: (_) @name) @object.package
(import_declaration) @import
(export_declaration) @export

(class_definition name: (_) @name) @class
(trait_definition name: (_) @name) @trait
(object_definition name: (_) @name) @object
(enum_definition name: (_) @name) @enum
(enum_case_definitions (simple_enum_case name: (_) @name) @enum_member) @outer
(enum_case_definitions (full_enum_case name: (_) @name) @enum_member) @outer
(instance_expression "new" . (_) @name (template_body) @body) @class.anonymous
(extension_definition) @extension
(given_definition) @variable.given
(given_definition body: [(template_body) (with_template_body)]) @object.given

(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(type_definition name: (_) @name) @type

(class_parameter name: (_) @name) @field.parameter
(val_definition pattern: (identifier) @name) @variable
(val_definition pattern: (operator_identifier) @name) @variable
(val_definition pattern: (identifiers (identifier) @name)) @variable
(val_definition pattern: (tuple_pattern (identifier) @name)) @variable
(val_definition pattern: (identifier) @name value: (lambda_expression)) @variable.lambda
(val_declaration name: (_) @name) @variable
(var_definition pattern: (identifier) @name) @variable
(var_definition pattern: (identifiers (identifier) @name)) @variable
(var_definition pattern: (tuple_pattern (identifier) @name)) @variable
(var_declaration name: (_) @name) @variable

; Declarations in these are local.
(block) @scope
(indented_block) @scope
(case_clause) @scope
(lambda_expression) @scope

[(comment) (block_comment)] @comment
