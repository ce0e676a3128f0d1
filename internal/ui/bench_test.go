package ui_test

import (
	"fmt"
	"testing"

	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

// big is a tree of n rows of three elements each.
func big(n int) *ui.Node {
	children := []*ui.Node{bar("Rows")}
	for i := range n / 4 {
		row := at(&ui.Node{Type: "Cell", Identifier: fmt.Sprintf("row-%d", i), Children: []*ui.Node{
			text(fmt.Sprintf("Title %d", i)), text("Subtitle"), {Type: "Button", Label: "Edit"},
		}}, float64(60+i*3))
		children = append(children, row)
	}
	return app(children...)
}

func BenchmarkLook(b *testing.B) {
	for _, n := range []int{500, 5000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			refs := &ui.Refs{}
			for b.Loop() {
				outline.Of(screen(big(n)), outline.Choice{}, phone, refs)
			}
		})
	}
}

func BenchmarkDiff(b *testing.B) {
	before, after := screen(big(500)), screen(big(496))
	for b.Loop() {
		ui.Compare(before, after)
	}
}
