package ui_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

// TestEqualScreensShareOneTree: who was shown the same holds one tree; the last who lets go of it frees it. What differs only in what a
// hash does not tell is not the same.
func TestEqualScreensShareOneTree(t *testing.T) {
	var trees ui.Trees
	show := func(r *ui.Refs, change func(*ui.Node)) *ui.Screen {
		root := big(1000)
		change(root)
		s := screen(root)
		r.Remember(phone, s)
		return s
	}
	same := func(*ui.Node) {}
	first := trees.Refs()
	s := show(&first, same)
	one := trees.Bytes()
	if one < 100_000 {
		t.Fatalf("a tree of 1,000 elements takes %d bytes", one)
	}
	others := make([]ui.Refs, 50)
	for i := range others {
		others[i] = trees.Refs()
		show(&others[i], same)
		show(&others[i], same)
	}
	if got := trees.Bytes(); got != one {
		t.Errorf("51 sessions that were shown the same hold %d bytes, one %d", got, one)
	}
	for i := range others {
		others[i].Forget()
	}
	if got := trees.Bytes(); got != one || first.Recall(phone, s.Hash()) == nil {
		t.Errorf("the one that did not forget holds %d bytes of %d", got, one)
	}
	for i, change := range []func(*ui.Node){
		func(n *ui.Node) { n.Children[0].Children[0].Children[7].Label = "another" },
		func(n *ui.Node) { n.Children[0].Children[0].Children[7].Secure = true }, // the hash does not tell
		func(n *ui.Node) { n.Children[0].Children[0].Children[7].Actions = []string{"Delete"} },
	} {
		before := trees.Bytes()
		other := trees.Refs()
		show(&other, change)
		if got := trees.Bytes(); got < before+one/2 {
			t.Errorf("change %d: the trees are taken for one", i)
		}
		other.Forget()
		if got := trees.Bytes(); got != before {
			t.Errorf("change %d: %d bytes are held for nobody", i, got-before)
		}
	}
	first.Forget()
	if got := trees.Bytes(); got != 0 {
		t.Errorf("%d bytes are held for nobody", got)
	}
}

// TestSharedTreesSupportConcurrentUse: sessions remember, compare, shed and forget at the same time what they share.
func TestSharedTreesSupportConcurrentUse(t *testing.T) {
	var trees ui.Trees
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			r := trees.Refs()
			for round := range 40 {
				s := screen(big(40 + 4*((i+round)%3)))
				if before := r.Shown(phone); before != nil {
					outline.Changes(ui.Compare(before, s), phone, &r)
				}
				outline.Of(s, outline.Choice{}, phone, &r)
				r.Remember(phone, s)
				switch round % 9 {
				case 5:
					r.Shed()
				case 8:
					r.Forget()
				}
			}
			r.Forget()
		})
	}
	wg.Wait()
	if got := trees.Bytes(); got != 0 {
		t.Errorf("%d bytes are held for nobody", got)
	}
}

// TestBytesMatchesHeapUse: what trees and refs say they take is what they take, and hardly less, whatever the screen is like.
func TestBytesMatchesHeapUse(t *testing.T) {
	list := func(node func(i int) *ui.Node) func() *ui.Node {
		return func() *ui.Node {
			children := []*ui.Node{bar("Rows")}
			for i := range 5000 {
				children = append(children, node(i))
			}
			return app(children...)
		}
	}
	for name, make := range map[string]func() *ui.Node{
		"rows of three": func() *ui.Node { return big(5000) },
		"buttons": list(func(i int) *ui.Node {
			return at(&ui.Node{Type: "Button", Identifier: fmt.Sprint("button-", i), Label: fmt.Sprint("Button ", i)}, float64(i))
		}),
		"large views": list(func(i int) *ui.Node {
			return &ui.Node{Type: "Image", Label: fmt.Sprint("Image ", i), Frame: ui.Rect{W: 400, H: 800}}
		}),
		"twins": list(func(int) *ui.Node { return at(text("Same"), 100) }),
		"long texts": list(func(i int) *ui.Node {
			return at(&ui.Node{Type: "TextView", Label: strings.Repeat("a", 1000) + fmt.Sprint(i), Value: strings.Repeat("b", 1000)}, 100)
		}),
		"actions": list(func(i int) *ui.Node {
			actions := []string{fmt.Sprint("Delete ", i), fmt.Sprint("Share ", i)}
			return at(&ui.Node{Type: "Other", Label: fmt.Sprint("Row ", i), Actions: actions}, 100)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			var trees ui.Trees
			refs := trees.Refs()
			began := heap()
			func() {
				s := screen(make())
				refs.Remember(phone, s)
			}()
			within(t, "tree", trees.Bytes(), heap()-began)
			began = heap()
			func() { // of a second look, whose texts are not the tree's
				s := screen(make())
				s.Root.Walk(func(n *ui.Node) bool {
					refs.Name(phone, s, n)
					return true
				})
			}()
			within(t, "refs", refs.Bytes(), heap()-began)
			runtime.KeepAlive(&refs)
		})
	}
}

func within(t *testing.T, what string, said, takes int) {
	t.Helper()
	if ratio := float64(said) / float64(takes); ratio < 0.95 || ratio > 1.75 {
		t.Errorf("%s: %d bytes are counted, and it takes %d: %.2f", what, said, takes, ratio)
	}
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
