; The constructs that have a syntax of their own. Declarators are unwrapped and classified in refine.rs.

(preproc_include path: (_) @name) @import
(preproc_call directive: (_) @_directive argument: (_) @name
  (#match? @_directive "^#[ \t]*(include_next|import)$")) @import.next
(preproc_def name: (identifier) @name value: (_)? @value) @macro
(preproc_function_def name: (identifier) @name parameters: (_) @params value: (_)? @value) @macro

(struct_specifier name: (_) @name body: (_)) @struct
(struct_specifier !name body: (_)) @struct.anonymous
(union_specifier name: (_) @name body: (_)) @union
(union_specifier !name body: (_)) @union.anonymous
(enum_specifier name: (_) @name body: (_)) @enum
(enum_specifier !name body: (_)) @enum.anonymous
(type_definition type: (struct_specifier name: (_) @name body: (_)) @struct) @outer
(type_definition type: (struct_specifier !name body: (_)) @struct) @outer
(type_definition type: (union_specifier name: (_) @name body: (_)) @union) @outer
(type_definition type: (union_specifier !name body: (_)) @union) @outer
(type_definition type: (enum_specifier name: (_) @name body: (_)) @enum) @outer
(type_definition type: (enum_specifier !name body: (_)) @enum) @outer
(type_definition declarator: (_) @type) @outer
(enumerator name: (identifier) @name) @enum_member

(function_definition) @function
(declaration declarator: (_) @variable) @outer
(field_declaration declarator: (_) @field) @outer
(linkage_specification body: (function_definition) @function) @outer
(linkage_specification body: (declaration declarator: (_) @variable)) @outer

(comment) @comment
