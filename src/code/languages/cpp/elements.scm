; The constructs that C does not have: classes, namespaces, templates, friends, lambdas, using.

(class_specifier name: (_) @name body: (_)) @class
(class_specifier !name body: (_)) @class.anonymous
(type_definition type: (class_specifier body: (_)) @class) @outer
(namespace_definition name: (_) @name) @namespace
(namespace_definition !name) @namespace.anonymous
(alias_declaration name: (_) @name type: (_) @type_name) @type
(concept_definition name: (_) @name) @type.concept
(using_declaration) @import
(namespace_alias_definition name: (_) @name) @import.namespace

(template_declaration parameters: (_) @type_params (class_specifier name: (_) @name body: (_)) @class) @outer
(template_declaration parameters: (_) @type_params (struct_specifier name: (_) @name body: (_)) @struct) @outer
(template_declaration parameters: (_) @type_params (union_specifier name: (_) @name body: (_)) @union) @outer
(template_declaration parameters: (_) @type_params (function_definition) @function) @outer
(template_declaration parameters: (_) @type_params (declaration declarator: (_) @variable)) @outer
(template_declaration parameters: (_) @type_params (alias_declaration name: (_) @name) @type) @outer
(template_declaration parameters: (_) @type_params (concept_definition name: (_) @name) @type) @outer
(template_declaration (template_declaration parameters: (_) @type_params (function_definition) @function)) @outer
(template_declaration (template_declaration parameters: (_) @type_params (declaration declarator: (_) @variable))) @outer

(friend_declaration (function_definition) @function.friend) @outer
(friend_declaration (declaration declarator: (_) @function.friend)) @outer
(template_declaration parameters: (_) @type_params (friend_declaration (function_definition) @function.friend)) @outer
(template_declaration parameters: (_) @type_params (friend_declaration (declaration declarator: (_) @function.friend))) @outer

(declaration declarator: (init_declarator value: (lambda_expression) @inner) @function.lambda) @outer
