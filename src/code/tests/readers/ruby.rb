# Prints the results of Ruby's own parser for the files whose paths it reads, one fact a line:
# the path, then `class`, `module`, `def` or `constant`, a name, the first and the last line; or `read`, or `refused`.

def named(node)
  case node.type
  when :COLON2 then [node.children[0] && named(node.children[0]), node.children[1]].compact.join("::")
  when :SELF then "self"
  else node.children[0].to_s
  end
end

def facts(path, node)
  return unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)
  kind, name =
    case node.type
    when :CLASS then ["class", named(node.children[0])]
    when :MODULE then ["module", named(node.children[0])]
    when :DEFN then ["def", node.children[0]]
    when :DEFS then ["def", node.children[1]]
    when :CDECL
      target = node.children[0]
      ["constant", target.is_a?(Symbol) ? target : named(target)]
    end
  puts [path, kind, name, node.first_lineno, node.last_lineno].join("\t") if kind
  node.children.each { |child| facts(path, child) }
end

$stdin.each_line(chomp: true) do |path|
  tree = RubyVM::AbstractSyntaxTree.parse(File.binread(path).force_encoding("UTF-8"))
  puts "#{path}\tread"
  facts(path, tree)
rescue SyntaxError, StandardError
  puts "#{path}\trefused"
end
