; The constructs that have a syntax of their own. Parameters, types, values, accessors, bases and visibility follow in
; refine.rs.

(import_declaration) @import

(class_declaration declaration_kind: "class" name: (_) @name) @class
(class_declaration declaration_kind: "actor" name: (_) @name) @class.actor
(class_declaration declaration_kind: "struct" name: (_) @name) @struct
(class_declaration declaration_kind: "enum" name: (_) @name) @enum
(class_declaration declaration_kind: "extension" name: (_) @name) @extension
(protocol_declaration name: (_) @name) @protocol
(enum_entry name: (_) @name) @enum_member

; The grammar gives the field `name` to types as well.
(typealias_declaration "typealias" . name: (_) @name) @type
(associatedtype_declaration "associatedtype" . name: (_) @name) @type.associated
(operator_declaration "operator" . (_) @name) @type.operator
(precedence_group_declaration (simple_identifier) @name) @type.precedencegroup

(function_declaration "func" . name: _ @name) @function
(protocol_function_declaration "func" . name: _ @name) @method
(init_declaration name: "init" @name) @constructor
(deinit_declaration "deinit" @name) @method.deinit
(subscript_declaration "subscript" @name) @method.subscript
(macro_declaration "macro" . (_) @name) @macro

(property_declaration name: (pattern bound_identifier: (_) @name)) @variable
(property_declaration name: (pattern (pattern (simple_identifier) @name))) @variable
(protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @field

; Declarations in these are local.
(computed_property) @scope
(willset_didset_block) @scope
(lambda_literal) @scope

[(comment) (multiline_comment)] @comment
