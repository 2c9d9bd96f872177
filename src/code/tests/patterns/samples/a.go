package shop

import "fmt"
import (
	"os"
	str "strings"
)

type Point struct {
	X, Y int
	Name string `json:"name"`
}
type Shape interface {
	Area() float64
}
type ID = string

const Limit = 3

var names = []string{"a", "b"}

func (p *Point) Move(dx int) error {
	p.X += dx
	return nil
}
func New(x int) *Point { return &Point{X: x} }
func main() {
	f, err := os.Open("a")
	if err != nil {
		return
	}
	defer f.Close()
	if x := 1; x > 0 {
		fmt.Println(x)
	} else {
		panic("no")
	}
	for i := 0; i < 3; i++ {
		fmt.Println(i)
	}
	for _, n := range names {
		fmt.Println(n, 1)
	}
	go func() { fmt.Println("go") }()
	switch x {
	case 1:
		run()
	default:
		stop()
	}
	select {
	case m := <-ch:
		use(m)
	}
	m := map[string]int{"a": 1}
	var y int = 2
	ch <- 1
	v, ok := m["a"]
	err = run()
	s := x.(string)
}
