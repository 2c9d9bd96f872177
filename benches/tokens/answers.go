// The right answers of the tasks in Go, from Go's own parser.
//
//	go run answers.go KIND ARGUMENT...        in the folder of the tree
//
// Prints one line for each thing that must have been seen; `re:` begins a regular expression.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var files = token.NewFileSet()

func main() {
	arguments := os.Args[2:]
	switch os.Args[1] {
	case "source":
		source(arguments[0], arguments[1])
	case "methods":
		methods(arguments[0], arguments[1])
	case "importers":
		importers(arguments[0])
	default:
		panic(os.Args[1])
	}
}

// source prints all lines of a function.
func source(path, name string) {
	text, err := os.ReadFile(path)
	check(err)
	lines := strings.Split(string(text), "\n")
	for _, function := range functions(path) {
		if function.Name.Name == name && function.Recv == nil {
			start, end := files.Position(function.Pos()).Line, files.Position(function.End()).Line
			fmt.Println(strings.Join(lines[start-1:end], "\n"))
		}
	}
}

// methods prints the names of a type's methods, as they are defined or listed.
func methods(folder, name string) {
	for _, path := range sources(folder) {
		for _, function := range functions(path) {
			if function.Recv != nil && receiver(function.Recv.List[0].Type) == name {
				fmt.Printf("re:\\b%s\\b\n", function.Name.Name)
			}
		}
	}
}

// importers prints the files that import a package.
func importers(wanted string) {
	for _, path := range sources(".") {
		for _, spec := range parsed(path, parser.ImportsOnly).Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil && imported == wanted {
				fmt.Println(listed(path))
			}
		}
	}
}

// listed returns a pattern of a file in a list: its whole path, or its name below the line of its folder.
func listed(path string) string {
	folder, name := filepath.Split(path)
	quoted := regexp.QuoteMeta
	return fmt.Sprintf(`re:(?:%s|%s(?: [^ /]+(?: \(\d+\))?)* %s(?: |$))`, quoted(path), quoted(folder), quoted(name))
}

// receiver returns the name of a receiver's type.
func receiver(expression ast.Expr) string {
	switch kind := expression.(type) {
	case *ast.StarExpr:
		return receiver(kind.X)
	case *ast.IndexExpr:
		return receiver(kind.X)
	case *ast.IndexListExpr:
		return receiver(kind.X)
	case *ast.Ident:
		return kind.Name
	}
	return ""
}

func functions(path string) (found []*ast.FuncDecl) {
	for _, declaration := range parsed(path, 0).Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok {
			found = append(found, function)
		}
	}
	return found
}

func parsed(path string, mode parser.Mode) *ast.File {
	file, err := parser.ParseFile(files, path, nil, mode)
	check(err)
	return file
}

// sources returns every file of a folder, by path.
func sources(folder string) (found []string) {
	check(filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !entry.IsDir() {
			found = append(found, path)
		}
		return err
	}))
	return found
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
