// Prints the roles of names, literal texts and comments in Go's standard library, by go/parser and go/types: one line per sampled
// occurrence with its path, its first byte, its length in bytes, its role and its text. The first argument is the folder of the
// toolchain, GOROOT.
//
// The roles are those that src/code/roles.rs defines. A conversion is written as a call and is one, and so is the type of a
// composite literal, which is constructed. The names on the left of := are definitions, also those that exist already.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
)

// One of this many names, literal texts and comments is printed.
const every = 7

// One of this many packages is read.
const packages = 3

var word = regexp.MustCompile(`[\pL\pN_]+`)

type occurrence struct {
	sort  string
	first int
	text  string
	role  string
}

type reader struct {
	files *token.FileSet
	info  *types.Info
	found []occurrence
}

func main() {
	root := os.Args[1]
	build.Default.GOROOT = root
	build.Default.CgoEnabled = false
	files := token.NewFileSet()
	imported := importer.ForCompiler(files, "source", nil)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	seen := map[string]int{}
	for at, folder := range folders(filepath.Join(root, "src")) {
		if at%packages != 0 {
			continue
		}
		found, err := build.ImportDir(folder, 0)
		if err != nil {
			continue
		}
		var parsed []*ast.File
		for _, name := range found.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(folder, name), nil, parser.ParseComments)
			if err != nil {
				fail(err)
			}
			parsed = append(parsed, file)
		}
		info := &types.Info{
			Defs:      map[*ast.Ident]types.Object{},
			Uses:      map[*ast.Ident]types.Object{},
			Instances: map[*ast.Ident]types.Instance{},
		}
		config := types.Config{Importer: imported, Sizes: types.SizesFor("gc", build.Default.GOARCH)}
		path, _ := filepath.Rel(filepath.Join(root, "src"), folder)
		if _, err := config.Check(filepath.ToSlash(path), files, parsed, info); err != nil {
			fail(err)
		}
		for _, file := range parsed {
			r := reader{files: files, info: info}
			r.read(file)
			sort.Slice(r.found, func(i, j int) bool { return r.found[i].first < r.found[j].first })
			name := files.File(file.Pos()).Name()
			for _, one := range r.found {
				seen[one.sort]++
				if seen[one.sort]%every == 0 {
					fmt.Fprintf(out, "%s\t%d\t%d\t%s\t%s\n", name, one.first, len(one.text), one.role, one.text)
				}
			}
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// folders returns the folders of the library in a fixed order, without commands, packages of others, test data, and the package
// that only documents what is predeclared.
func folders(root string) []string {
	var found []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		name := entry.Name()
		if name == "testdata" || name == "vendor" || name[0] == '_' {
			return filepath.SkipDir
		}
		if path == filepath.Join(root, "cmd") || path == filepath.Join(root, "builtin") {
			return filepath.SkipDir
		}
		found = append(found, path)
		return nil
	})
	if err != nil {
		fail(err)
	}
	return found
}

func (r *reader) read(file *ast.File) {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			r.addWord("comment", comment.Pos(), comment.Text, "comment")
		}
	}
	var path []ast.Node
	ast.Inspect(file, func(node ast.Node) bool {
		if node == nil {
			path = path[:len(path)-1]
			return true
		}
		switch node := node.(type) {
		case *ast.CommentGroup:
			return false
		case *ast.Ident:
			r.add("name", node.Pos(), node.Name, r.role(node, path))
		case *ast.BasicLit:
			if node.Kind == token.STRING || node.Kind == token.CHAR {
				role := "string"
				if isImport(path) {
					role = "import"
				}
				r.addWord("text", node.Pos(), node.Value, role)
			}
		}
		path = append(path, node)
		return true
	})
}

func (r *reader) add(sort string, at token.Pos, text, role string) {
	r.found = append(r.found, occurrence{sort, r.files.PositionFor(at, false).Offset, text, role})
}

// addWord adds the middle one of the words of a text.
func (r *reader) addWord(sort string, at token.Pos, text, role string) {
	if words := word.FindAllStringIndex(text, -1); len(words) > 0 {
		middle := words[len(words)/2]
		r.add(sort, at+token.Pos(middle[0]), text[middle[0]:middle[1]], role)
	}
}

func isImport(path []ast.Node) bool {
	_, is := path[len(path)-1].(*ast.ImportSpec)
	return is
}

// role returns the role of a name below these nodes, of which the last one is its parent.
func (r *reader) role(name *ast.Ident, path []ast.Node) string {
	if isImport(path) {
		return "import"
	}
	// The expression that the name stands for: itself, or the selector that it ends.
	var named ast.Node = name
	up := len(path) - 1
	if selector, is := path[up].(*ast.SelectorExpr); is && selector.Sel == name {
		named, up = selector, up-1
	}
	_, isGeneric := r.info.Instances[name]
	parent, child := around(path, up, named, isGeneric)
	switch parent := parent.(type) {
	case *ast.AssignStmt:
		for _, left := range parent.Lhs {
			if left == child {
				return assigned(parent.Tok)
			}
		}
	case *ast.RangeStmt:
		if parent.Key == child || parent.Value == child {
			return assigned(parent.Tok)
		}
	case *ast.IncDecStmt:
		return "write"
	}
	_, isType := r.info.Uses[name].(*types.TypeName)
	// An embedded field is named by its type.
	if _, is := r.info.Defs[name]; is && !isType {
		return "definition"
	}
	switch parent := parent.(type) {
	case *ast.CallExpr:
		if parent.Fun == child {
			return "call"
		}
	case *ast.CompositeLit:
		if parent.Type == child {
			return "call"
		}
	}
	if isType {
		return "type"
	}
	return "mention"
}

// around returns the first node around an expression that is not a pair of brackets, nor the type arguments of what is generic,
// and its child.
func around(path []ast.Node, up int, child ast.Node, isGeneric bool) (ast.Node, ast.Node) {
	for ; up > 0; up-- {
		switch node := path[up].(type) {
		case *ast.ParenExpr:
		case *ast.IndexExpr:
			if !isGeneric || node.X != child {
				return node, child
			}
		case *ast.IndexListExpr:
			if !isGeneric || node.X != child {
				return node, child
			}
		default:
			return node, child
		}
		child = path[up]
	}
	return path[0], child
}

func assigned(sign token.Token) string {
	if sign == token.DEFINE {
		return "definition"
	}
	return "write"
}
