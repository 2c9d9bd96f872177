; The constructs that have a syntax of their own. The first assignments of variables and the attributes of `declare`
; follow in refine.rs.

(function_definition name: (word) @name) @function

(variable_assignment name: (variable_name) @name) @variable
(declaration_command (variable_assignment name: (variable_name) @name) @variable) @outer
(declaration_command (variable_name) @variable @name) @outer

(command name: (command_name) @_call argument: [(concatenation) (word)] @macro.alias (#eq? @_call "alias"))

(command name: (command_name) @_call . argument: (_) @name (#any-of? @_call "source" ".")) @import

(comment) @comment
