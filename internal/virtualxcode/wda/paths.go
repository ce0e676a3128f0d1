package wda

import (
	"slices"
	"strconv"
	"strings"
)

// xpath finds elements by a simple subset of XPath: steps with / and //, names, and conditions in brackets.
func xpath(text string, below *node) ([]*node, error) {
	list, err := words(text)
	if err != nil {
		return nil, badSelector("%v", err)
	}
	r := &reader{words: list}
	grouped := r.take("(")
	found := []*node{{children: []*node{below}, Element: below.Element}} // the document
	for first := true; r.peek() == "/" || r.peek() == "//" || first && r.peek() != ""; first = false {
		deep := false
		switch r.peek() {
		case "//":
			deep = true
			r.next()
		case "/":
			r.next()
		case ".":
			r.next()
			found = []*node{below}
			continue
		}
		if found, err = r.step(found, deep); err != nil {
			return nil, err
		}
		if grouped && r.take(")") {
			grouped = false
			if found, err = r.conditions(found); err != nil {
				return nil, err
			}
		}
	}
	if r.at < len(r.words) {
		return nil, badSelector("The XPath query %q cannot be read at %q", text, r.peek())
	}
	return found, nil
}

// step goes from elements to their children, or to all descendants, with a name and conditions.
func (r *reader) step(from []*node, deep bool) ([]*node, error) {
	name := r.next()
	if name == "" || name == "[" {
		return nil, badSelector("an XPath step has no name")
	}
	begin := r.at
	var found []*node
	for _, parent := range from {
		candidates := parent.children
		if deep {
			candidates = parent.all()[1:]
		}
		var named []*node
		for _, n := range candidates {
			if name == "*" || n.kind() == name {
				named = append(named, n)
			}
		}
		r.at = begin
		fit, err := r.conditions(named)
		if err != nil {
			return nil, err
		}
		for _, n := range fit {
			if !slices.ContainsFunc(found, func(o *node) bool { return o.Element == n.Element }) {
				found = append(found, n)
			}
		}
	}
	if len(from) == 0 { // parse the conditions in any case
		if _, err := r.conditions(nil); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// conditions are brackets: a position, or a comparison of attributes.
func (r *reader) conditions(list []*node) ([]*node, error) {
	for r.take("[") {
		if n, err := strconv.Atoi(r.peek()); err == nil {
			r.next()
			if list = list[min(n-1, len(list)):min(n, len(list))]; n < 1 {
				list = nil
			}
		} else if r.take("last") {
			r.take("(")
			r.take(")")
			list = list[max(len(list)-1, 0):]
		} else {
			t, err := r.anyOf()
			if err != nil {
				return nil, err
			}
			list = slices.DeleteFunc(slices.Clone(list), func(n *node) bool { return !t(n) })
		}
		if !r.take("]") {
			return nil, badSelector("a bracket of an XPath query is not closed")
		}
	}
	return list, nil
}

func (r *reader) anyOf() (test, error) {
	left, err := r.allOf()
	for err == nil && r.take("or") {
		var right test
		if right, err = r.allOf(); err == nil {
			one := left
			left = func(n *node) bool { return one(n) || right(n) }
		}
	}
	return left, err
}

func (r *reader) allOf() (test, error) {
	left, err := r.condition()
	for err == nil && r.take("and") {
		var right test
		if right, err = r.condition(); err == nil {
			one := left
			left = func(n *node) bool { return one(n) && right(n) }
		}
	}
	return left, err
}

func (r *reader) condition() (test, error) {
	switch {
	case r.take("not"):
		r.take("(")
		t, err := r.anyOf()
		r.take(")")
		return func(n *node) bool { return !t(n) }, err
	case r.take("("):
		t, err := r.anyOf()
		r.take(")")
		return t, err
	case strings.EqualFold(r.peek(), "contains") || strings.EqualFold(r.peek(), "starts-with"):
		compare := comparisons[map[string]string{"contains": "CONTAINS", "starts-with": "BEGINSWITH"}[strings.ToLower(r.next())]]
		r.take("(")
		name, err := r.attribute()
		r.take(",")
		want, _ := unquoted(r.next())
		r.take(")")
		return func(n *node) bool { have, _ := n.written(name); return compare(have, want) }, err
	}
	name, err := r.attribute()
	if err != nil {
		return nil, err
	}
	compare, known := comparisons[r.peek()]
	if !known {
		return func(n *node) bool { _, ok := n.written(name); return ok }, nil
	}
	r.next()
	want, _ := unquoted(r.next())
	return func(n *node) bool { have, ok := n.written(name); return ok && compare(have, want) }, nil
}

// attribute is a name after an @.
func (r *reader) attribute() (string, error) {
	if !r.take("@") {
		return "", badSelector("The XPath query cannot be read at %q", r.peek())
	}
	return r.next(), nil
}

// classChain finds elements by Appium's class chains: steps with / and **/, types, and in brackets an index or a predicate between
// backticks.
func classChain(text string, below *node) ([]*node, error) {
	found := []*node{below}
	for rest := text; rest != ""; {
		deep := strings.HasPrefix(rest, "**/")
		rest = strings.TrimPrefix(rest, "**/")
		name, after := rest, ""
		if i := strings.IndexAny(rest, "/["); i >= 0 {
			name, after = rest[:i], rest[i:]
		}
		var next []*node
		for _, parent := range found {
			candidates := parent.children
			if deep {
				candidates = parent.all()[1:]
			}
			for _, n := range candidates {
				if name == "*" || n.kind() == name {
					next = append(next, n)
				}
			}
		}
		for strings.HasPrefix(after, "[") {
			var inside string
			if strings.HasPrefix(after, "[`") {
				end := strings.Index(after, "`]")
				if end < 0 {
					return nil, badSelector("a class chain has a backtick that is not closed: %s", text)
				}
				inside, after = after[2:end], after[end+2:]
				t, err := parsePredicate(inside)
				if err != nil {
					return nil, badSelector("%v", err)
				}
				next = slices.DeleteFunc(next, func(n *node) bool { return !t(n) })
				continue
			}
			inside, after, _ = strings.Cut(after[1:], "]")
			i, err := strconv.Atoi(inside)
			if err != nil || i == 0 {
				return nil, badSelector("invalid index %q in a class chain", inside)
			}
			if i < 0 {
				i += len(next) + 1
			}
			next = next[max(0, min(i-1, len(next))):max(0, min(i, len(next)))]
		}
		found, rest = next, strings.TrimPrefix(after, "/")
	}
	return found, nil
}
