package desktop

import (
	"fmt"
	"hash/fnv"
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

// Names are the ids of the elements of one process. An element keeps the id that it got when it was first seen, whatever becomes of its
// title and its place; two elements never share one.
type Names struct {
	mu   sync.Mutex
	ids  map[string]string // by key
	keys map[string]string // by id
}

// Name gives every node of a look its id.
func (n *Names) Name(t *Tree) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ids == nil {
		n.ids, n.keys = map[string]string{}, map[string]string{}
	}
	for i, w := range t.Windows {
		n.name(w, i+w.Shift)
	}
}

func (n *Names) name(node *Node, index int) {
	id, known := n.ids[node.Key]
	if !known {
		id = n.free(mint(node.Role, node.Title, index))
		n.ids[node.Key], n.keys[id] = id, node.Key
	}
	node.ID = id
	for i, c := range node.Children {
		n.name(c, i+c.Shift)
	}
}

// free is an id that no other element ever had.
func (n *Names) free(id string) string {
	base := id
	for i := 2; n.keys[id] != ""; i++ {
		id = fmt.Sprintf("%s_%d", base, i)
	}
	return id
}

// Key is the element that has an id; empty when none ever had it.
func (n *Names) Key(id string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.keys[id]
}
