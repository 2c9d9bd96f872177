; The constructs that have a syntax of their own. Attributes, documentation, the names in a `use` and visibility follow
; in refine.rs.

(mod_item name: (_) @name) @module

(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @union
(enum_item name: (_) @name) @enum
(enum_variant name: (_) @name value: (_)? @value) @enum_member
(field_declaration name: (_) @name) @field

(trait_item name: (_) @name) @trait
(impl_item type: (_) @name) @impl
(type_item name: (_) @name type: (_) @value) @type
(associated_type name: (_) @name) @type

(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @variable.static
(macro_definition name: (_) @name) @macro

; Functions, variables and types that other languages define.
(foreign_mod_item
  (extern_modifier) @modifier
  body: (declaration_list (function_signature_item name: (_) @name) @function.foreign))
(foreign_mod_item
  (extern_modifier) @modifier
  body: (declaration_list (static_item name: (_) @name) @variable.foreign))
(foreign_mod_item
  (extern_modifier) @modifier
  body: (declaration_list (associated_type name: (_) @name) @type.foreign))
; The grammar does not support `pub` before a type of another language.
(foreign_mod_item
  (extern_modifier) @modifier
  body: (declaration_list (ERROR (visibility_modifier) "type" . (identifier) @name) @type.foreign))

(use_declaration) @import
(extern_crate_declaration) @import.extern

; refine.rs attaches attributes and documentation to the item after them.
(attribute_item) @annotation
[(line_comment) (block_comment)] @comment
