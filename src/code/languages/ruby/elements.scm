; The constructs that have a syntax of their own. Visibility, singletons and classes made by calls follow in refine.rs.

(module name: (_) @name) @module
(class name: (_) @name) @class
(class name: (_) @name superclass: (superclass (_) @extends)) @class

; Dropped in refine.rs: its members belong to the class around it.
(singleton_class) @namespace

(method name: (_) @name) @function
(singleton_method name: (_) @name) @method.static
; `private def name`, `memoize def name`
(call !receiver method: (identifier) arguments: (argument_list . (method name: (_) @name) @function .)) @outer
(call !receiver method: (identifier) arguments: (argument_list . (singleton_method name: (_) @name) @method .)) @outer

(alias name: (_) @name) @method.alias
(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list . [(simple_symbol) (string)] @name)
  (#eq? @_call "alias_method")) @method.alias
(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list . [(simple_symbol) (string)] @name)
  block: (_)? @inner
  (#any-of? @_call "define_method" "define_singleton_method")) @method.defined

(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list [(simple_symbol) (string)] @name)
  (#any-of? @_call "attr" "attr_reader" "attr_writer" "attr_accessor")) @field.attribute
(assignment left: (class_variable) @name) @field.static
(operator_assignment left: (class_variable) @name) @field.static

(assignment left: [(constant) (scope_resolution)] @name) @constant
(assignment left: [(constant) (scope_resolution)] @name right: (lambda)) @constant.lambda
(assignment left: (left_assignment_list (constant) @name)) @constant
(assignment left: (left_assignment_list (rest_assignment (constant) @name))) @constant
(operator_assignment left: [(constant) (scope_resolution)] @name) @constant
(assignment left: (global_variable) @name) @variable.global
(operator_assignment left: (global_variable) @name) @variable.global
(program (assignment left: (identifier) @name) @variable)

(call
  method: (identifier) @_call
  arguments: (argument_list . (_) @name)
  (#any-of? @_call "require" "require_relative" "load" "autoload")) @import
(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list [(constant) (scope_resolution)] @name)
  (#any-of? @_call "include" "extend" "prepend" "using")) @import

(comment) @comment
