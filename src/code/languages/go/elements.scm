; The constructs that have a syntax of their own. Receivers, visibility by capitals, embedded types and repeated
; constants follow in refine.rs. A declaration without brackets includes its keyword; each declaration in a group has
; its own lines.

(package_clause (package_identifier) @name) @package

(import_spec) @import
(import_declaration (import_spec) @import) @outer

(type_declaration (type_spec name: (_) @name) @type (#not-match? @outer "^type\\s*\\(")) @outer
(type_declaration (type_alias name: (_) @name) @type (#not-match? @outer "^type\\s*\\(")) @outer
(type_spec name: (_) @name type: (_) @value) @type
(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(type_alias name: (_) @name type: (_) @value) @type.alias
(type_alias name: (_) @name type: (struct_type)) @struct.alias
(type_alias name: (_) @name type: (interface_type)) @interface.alias

(field_declaration name: (_) @name) @field
(field_declaration !name type: (_) @name) @field.embedded
(method_elem name: (_) @name) @method

(function_declaration name: (_) @name) @function
(method_declaration name: (_) @name) @method

; The grammar gives the field of the names to the commas between them too, so that only the first name would match by
; its field.
(const_declaration (const_spec (identifier) @name) @constant (#not-match? @outer "^const\\s*\\(")) @outer
(const_spec (identifier) @name) @constant
(var_declaration (var_spec name: (identifier) @name) @variable) @outer
(var_spec name: (identifier) @name) @variable
(var_spec . name: (identifier) @name value: (expression_list . (func_literal) @inner .)) @function.assigned

(comment) @comment
