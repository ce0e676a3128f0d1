package page

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// keys are the attributes, in small letters.
var keys = map[string]func(*Node) any{
	"name": func(n *Node) any { return orNull(n.name()) }, "label": func(n *Node) any { return orNull(n.Label) },
	"value": func(n *Node) any { return orNull(n.value()) }, "type": func(n *Node) any { return n.Type },
	"identifier": func(n *Node) any { return orNull(n.Identifier) }, "rawidentifier": func(n *Node) any { return orNull(n.Identifier) },
	"placeholdervalue": func(n *Node) any { return orNull(n.Placeholder) }, "traits": func(n *Node) any { return orNull(n.traits()) },
	"visible": func(n *Node) any { return n.IsVisible() }, "enabled": func(n *Node) any { return n.Enabled },
	"selected": func(n *Node) any { return n.Selected }, "focused": func(n *Node) any { return n.Focused },
	"hittable": func(n *Node) any { return !n.OutOfReach() }, "accessible": func(n *Node) any { is, _ := n.accessible(); return is },
	"index":       func(n *Node) any { return float64(n.index) },
	"rect.x":      func(n *Node) any { return float64(n.Box().X) },
	"rect.y":      func(n *Node) any { return float64(n.Box().Y) },
	"rect.width":  func(n *Node) any { return float64(n.Box().Width) },
	"rect.height": func(n *Node) any { return float64(n.Box().Height) },
}

// Attribute is the text of one attribute; nil when the element has none. A name may have WebDriverAgent's prefix.
func (n *Node) Attribute(name string) (value any, known bool) {
	key := strings.ToLower(strings.TrimPrefix(name, "wd"))
	switch key {
	case "rect":
		raw, _ := json.Marshal(n.Box()) // numbers can always be encoded
		return string(raw), true
	case "frame":
		return n.FrameText(), true
	}
	read, known := keys[key]
	if !known {
		read, known = keys["rect."+key]
	}
	if _, told := n.accessible(); !known || key == "accessible" && !told {
		return nil, known
	}
	switch v := read(n).(type) {
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	default:
		return v, true
	}
}

// options are the options in brackets after a comparison.
type options struct{ caseless, markless bool }

func (o options) fold(s string) string {
	if o.markless {
		s = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(s))
	}
	if o.caseless {
		s = strings.ToLower(s)
	}
	return s
}

type comparison func(a, b any, o options) bool

// comparisons are the supported comparisons.
var comparisons = map[string]comparison{
	"==": equal, "=": equal,
	"!=": unequal, "<>": unequal,
	"<":          ordered(func(c int) bool { return c < 0 }),
	">":          ordered(func(c int) bool { return c > 0 }),
	"<=":         ordered(func(c int) bool { return c <= 0 }),
	"=<":         ordered(func(c int) bool { return c <= 0 }),
	">=":         ordered(func(c int) bool { return c >= 0 }),
	"=>":         ordered(func(c int) bool { return c >= 0 }),
	"CONTAINS":   texts(strings.Contains),
	"BEGINSWITH": texts(strings.HasPrefix),
	"ENDSWITH":   texts(strings.HasSuffix),
	"LIKE":       texts(like),
	"MATCHES": func(a, b any, o options) bool {
		s, is := a.(string)
		pattern, also := b.(string)
		if !is || !also {
			return false
		}
		re, err := expression(pattern, o)
		return err == nil && re.MatchString(o.fold(s))
	},
	"IN": func(a, b any, o options) bool {
		if s, is := b.(string); is {
			part, also := a.(string)
			return also && strings.Contains(o.fold(s), o.fold(part))
		}
		all, _ := b.([]any)
		return slices.ContainsFunc(all, func(each any) bool { return equal(a, each, o) })
	},
	"BETWEEN": func(a, b any, _ options) bool {
		all, _ := b.([]any)
		return len(all) == 2 && ordered(func(c int) bool { return c >= 0 })(a, all[0], options{}) &&
			ordered(func(c int) bool { return c <= 0 })(a, all[1], options{})
	},
}

func expression(pattern string, o options) (*regexp.Regexp, error) {
	flags := "(?s"
	if o.caseless {
		flags += "i"
	}
	return regexp.Compile(flags + ")^(?:" + pattern + ")$")
}

// like compares with a pattern of * and ?.
func like(s, pattern string) bool {
	quoted := regexp.QuoteMeta(pattern)
	re, err := regexp.Compile("(?s)^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(quoted) + "$")
	return err == nil && re.MatchString(s)
}

func texts(fits func(s, part string) bool) comparison {
	return func(a, b any, o options) bool {
		s, is := a.(string)
		part, also := b.(string)
		return is && also && fits(o.fold(s), o.fold(part))
	}
}

func unequal(a, b any, o options) bool { return !equal(a, b, o) }

// equal compares as NSPredicate does for typical test suites: 1 and "1" and true are equal.
func equal(a, b any, o options) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if s, is := a.(string); is {
		if other, also := b.(string); also {
			return o.fold(s) == o.fold(other)
		}
	}
	x, isNumber := numberOf(a)
	y, alsoNumber := numberOf(b)
	return isNumber && alsoNumber && x == y
}

func ordered(fits func(int) bool) comparison {
	return func(a, b any, o options) bool {
		if s, is := a.(string); is {
			if other, also := b.(string); also {
				return fits(strings.Compare(o.fold(s), o.fold(other)))
			}
		}
		x, isNumber := numberOf(a)
		y, alsoNumber := numberOf(b)
		return isNumber && alsoNumber && fits(cmp.Compare(x, y))
	}
}

func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case string:
		switch strings.ToLower(v) {
		case "true", "yes":
			return 1, true
		case "false", "no":
			return 0, true
		}
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil
	}
	return 0, false
}
