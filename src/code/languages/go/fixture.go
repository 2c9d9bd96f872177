// Package store keeps readings.
//
// It has no locks of its own.
package store

import "fmt"
import (
	"context"
	f "io/fs"
	. "math"
	_ "embed"
)

// Levels of severity.
const (
	// Low is the first.
	Low Level = iota
	Middle
	_
	High // the last
)

const limit, Step = 10, "s"

// Level is how bad it is.
//
// Deprecated: use a number.
type Level int

// String names a level.
func (l Level) String() string {
	switch l {
	case Low, Middle:
		return "fine"
	case High:
		return "bad"
	default:
		return fmt.Sprint(int(l))
	}
}

var (
	version       = "1"
	_       Store = (*Memory[int])(nil)
)

//go:embed data.txt
//go:noinline
var data []byte

// Greet is a function in a variable.
var Greet = func(name string) string {
	if name == "" && version != "" {
		return "?"
	}
	return name
}

type (
	// Number is a constraint.
	Number interface {
		~int | ~float64
		fmt.Stringer
	}
	Handler = func(ctx context.Context, args ...string) error
	Table   map[string][]Level
)

// Store finds readings.
type Store interface {
	f.FS
	// Get finds one.
	Get(ctx context.Context, key string) (value int, err error)
	close()
}

/*
Memory is a store in memory.
*/
type Memory[T Number] struct {
	*Base
	fmt.Stringer `json:"-"`
	Name, alias  string `json:"name"` // not its documentation
	// Inner is anonymous.
	Inner struct {
		Deep int
	}
}

func (m *Memory[T]) Get(_ context.Context, a, b T, rest ...int) (T, error) {
	type local struct{ depth int }
	for i, r := range rest {
		if i > 0 || r < 0 {
			continue
		}
	}
	go func() {
		select {
		case <-done:
		default:
		}
	}()
	var helper = func() {}
	const inside = 1
	table := []struct{ in string }{{"a"}}
	_, _ = table, helper
	return a, nil
}

func (other *Elsewhere) Close() {}

func New[K comparable, V any](entries map[K]V, _ int) *Memory[int] { return nil }

func init() {}

func external(int, string) bool

func TestGet(t *testing.T) { _ = limit }

const (
	_     = 1 << (10 * iota)
	Kilo
)

type (
	pair struct{ a, b int }
	other = pair
)
