package page

import (
	"strconv"
	"strings"
)

// link is one step of a class chain.
type link struct {
	deep  bool // any depth below, not only children
	kind  string
	fits  []func(*Node) bool // conditions on the element, or on one below it
	index int                // from 1, or from the end when negative; 0: all
}

// byChain finds by a class chain: **/XCUIElementTypeCell[`name BEGINSWITH "A"`][2]/XCUIElementTypeButton.
func byChain(t *Page, selector string, from *Node) ([]*Node, error) {
	links, err := t.chain(selector)
	if err != nil {
		return nil, err
	}
	at := []*Node{t.root}
	if from != nil {
		at = []*Node{from}
	} else if app := t.Front(); app != nil && len(t.root.children) == 1 && !links[0].deep && links[0].kind != app.Type {
		at = []*Node{app} // a chain begins below the app
	}
	for _, l := range links {
		var next []*Node
		for _, n := range at {
			next = append(next, l.from(n)...)
		}
		at = t.inOrder(next)
		if l.index > 0 && l.index <= len(at) {
			at = at[l.index-1 : l.index]
		} else if l.index < 0 && -l.index <= len(at) {
			at = at[len(at)+l.index:][:1]
		} else if l.index != 0 {
			return nil, nil
		}
	}
	return at, nil
}

func (l link) from(n *Node) (found []*Node) {
	for _, c := range n.children {
		if l.holds(c) {
			found = append(found, c)
		}
		if l.deep {
			found = append(found, l.from(c)...)
		}
	}
	return found
}

func (l link) holds(n *Node) bool {
	if l.kind != "*" && l.kind != n.Type {
		return false
	}
	for _, fits := range l.fits {
		if !fits(n) {
			return false
		}
	}
	return true
}

// chain parses the text of a class chain.
func (t *Page) chain(text string) (links []link, err error) {
	if len(text) > mostPredicate {
		return nil, invalid("the class chain has more than %d characters", mostPredicate)
	}
	rest := strings.TrimPrefix(strings.TrimSpace(text), "/")
	for rest != "" {
		var l link
		if after, deep := strings.CutPrefix(rest, "**/"); deep {
			l.deep, rest = true, after
		}
		n := strings.IndexAny(rest, "/[")
		if n < 0 {
			n = len(rest)
		}
		l.kind, rest = rest[:n], rest[n:]
		if l.kind != "*" && !strings.HasPrefix(l.kind, TypePrefix) {
			return nil, invalid("the class chain %q: %q is not an element type", text, l.kind).
				hinted("such as **/" + TypePrefix + "Button[`label == \"OK\"`]")
		}
		for strings.HasPrefix(rest, "[") {
			if rest, err = t.qualifier(text, rest[1:], &l); err != nil {
				return nil, err
			}
		}
		links = append(links, l)
		if rest == "" {
			break
		}
		after, is := strings.CutPrefix(rest, "/")
		if !is || after == "" {
			return nil, invalid("the class chain %q: unexpected %q", text, rest)
		}
		rest = after
	}
	if len(links) == 0 {
		return nil, invalid("the class chain is empty")
	}
	return links, nil
}

// qualifier parses the text in brackets: a predicate between backticks, a predicate about descendants between dollars, or a number.
func (t *Page) qualifier(text, rest string, l *link) (string, error) {
	wrong := func(what string) error { return invalid("the class chain %q: %s", text, what) }
	if rest == "" {
		return "", wrong("a bracket is not closed")
	}
	if quote := rest[0]; quote == '`' || quote == '$' {
		end := strings.Index(rest[1:], string(quote)+"]")
		if end < 0 {
			return "", wrong("a predicate has no end")
		}
		fits, err := t.predicate(rest[1 : end+1])
		if err != nil {
			return "", err
		}
		if quote == '`' {
			l.fits = append(l.fits, fits)
		} else {
			l.fits = append(l.fits, func(n *Node) bool { return len(t.All(n, fits)) > 0 })
		}
		return rest[end+3:], nil
	}
	end := strings.IndexByte(rest, ']')
	if end < 0 {
		return "", wrong("a bracket is not closed")
	}
	index, err := strconv.Atoi(strings.TrimSpace(rest[:end]))
	if err != nil || index == 0 {
		return "", wrong(strconv.Quote(rest[:end]) + " is neither a predicate between backticks nor a number from 1 or -1")
	}
	l.index = index
	return rest[end+1:], nil
}
