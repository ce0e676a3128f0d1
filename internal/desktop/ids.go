package desktop

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
)

// prefixes are the beginnings of ids, by role without AX.
var prefixes = map[string]string{
	"window": "w", "button": "btn", "slider": "sld", "textfield": "txt", "textarea": "txt", "knob": "knb", "list": "lst", "table": "lst",
	"row": "itm", "cell": "itm", "toolbar": "tb", "group": "pnl", "splitgroup": "pnl", "statictext": "lbl", "image": "img", "menu": "mnu",
	"menubar": "mnu", "menuitem": "mi", "tabgroup": "tab", "checkbox": "chk", "radiobutton": "rad", "popupbutton": "pop", "combobox": "pop",
	"scrollarea": "scr", "progressindicator": "prg",
}

// otherPrefix is that of all other roles.
const otherPrefix = "el"

// mint makes an id of what an element is when it is first seen: 16 bits of an FNV-1a hash over role, title and place among its siblings.
func mint(role, title string, index int) string {
	prefix, known := prefixes[strings.ToLower(strings.TrimPrefix(role, "AX"))]
	if !known {
		prefix = otherPrefix
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s:%s:%d", role, title, index)
	return fmt.Sprintf("%s_%04x", prefix, uint16(h.Sum64()))
}

// mostNames is how many elements are remembered that the last look did not see. An app may make elements for ever.
const mostNames = 2 * MaxNodes

// Names are the ids of the elements of one process. An element keeps the id of its first sight, whatever happens to its title and its
// place; two elements never share one. Names remembers a limited number of elements that are gone; an older one gets a new id when it comes
// back.
type Names struct {
	mu    sync.Mutex
	looks uint64
	ids   map[string]named  // by key
	keys  map[string]string // by id
	given map[string]uint32 // how often an id was minted; there are 65,536 for every prefix
}

// named is the id of an element, and the look that saw it last.
type named struct {
	id   string
	look uint64
}

// Name gives every node of a look its id.
func (n *Names) Name(t *Tree) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ids == nil {
		n.ids, n.keys, n.given = map[string]named{}, map[string]string{}, map[string]uint32{}
	}
	n.looks++
	seen := 0
	for i, w := range t.Windows {
		seen += n.name(w, i+w.Shift)
	}
	if len(n.ids) > seen+mostNames {
		n.forget(len(n.ids) - seen - mostNames/2)
	}
}

func (n *Names) name(node *Node, index int) (seen int) {
	own, known := n.ids[node.Key]
	if !known {
		own.id = n.free(mint(node.Role, node.Title, index))
		n.keys[own.id] = node.Key
	}
	own.look = n.looks
	n.ids[node.Key], node.ID, seen = own, own.id, 1
	for i, c := range node.Children {
		seen += n.name(c, i+c.Shift)
	}
	return seen
}

// free is an id that no other element ever had.
func (n *Names) free(id string) string {
	n.given[id]++
	if times := n.given[id]; times > 1 {
		return fmt.Sprintf("%s_%d", id, times)
	}
	return id
}

// forget removes a number of elements, the longest unseen first.
func (n *Names) forget(count int) {
	var old []string
	for key, own := range n.ids {
		if own.look < n.looks {
			old = append(old, key)
		}
	}
	slices.SortFunc(old, func(a, b string) int { return cmp.Compare(n.ids[a].look, n.ids[b].look) })
	for _, key := range old[:min(count, len(old))] {
		delete(n.keys, n.ids[key].id)
		delete(n.ids, key)
	}
}

// Key is the element that has an id, with or without the @ of refs; empty when none has it, or when it was not seen for too long.
func (n *Names) Key(id string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.keys[strings.TrimPrefix(id, "@")]
}
