package uiread

import (
	"strconv"
	"strings"

	"ios-agent/internal/text/lazyregexp"
	"ios-agent/internal/ui"
)

// line reads one element; an unknown one becomes a text.
func (t *Tree) line(content string) (n *ui.Node, known bool) {
	if strings.HasPrefix(content, "{") {
		read := newValues([]byte(content), place{whole: []byte(content)}, &t.bound)
		if v, err := read.next(); err == nil {
			if o, ok := v.(object); ok && len(o) > 0 {
				return t.node(o), true
			}
		}
	}
	if n := outlineLine(content); n != nil {
		return n, true
	}
	if n := describedLine(content); n != nil {
		return n, true
	}
	return &ui.Node{Type: "Other", Label: strings.TrimSpace(content), Unplaced: true, Extra: map[string]any{"line": content}}, false
}

// outlinePattern is a line of package outline: role "name" [ref=e1] [state]: value
var outlinePattern = lazyregexp.New(`^([A-Za-z]+)(?: "((?:[^"\\]|\\.)*)")?( \[ref=\w+\])((?: \[[^\]]*\])*)(?:: (.*))?$`)

var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// outlineLine reads a line of an outline; nil if the line has another form.
func outlineLine(content string) *ui.Node {
	m := outlinePattern.FindStringSubmatch(content)
	if m == nil {
		return nil
	}
	n := &ui.Node{Type: ui.TypeOfRole(m[1]), Label: unescape.Replace(m[2]), Value: m[5], Unplaced: true}
	n.Extra = map[string]any{"ref": strings.Trim(strings.TrimPrefix(m[3], " [ref="), "]")}
	for state := range strings.SplitSeq(m[4], "]") {
		switch state = strings.TrimPrefix(strings.TrimSpace(state), "["); state {
		case "":
		case "disabled":
			n.Disabled = true
		case "focused":
			n.Focused = true
		case "selected":
			n.Selected = true
		case "hidden":
			n.Hidden = true
		case "secure":
			n.Secure, n.Type = true, "SecureTextField"
		case "multiline":
			n.Type = "TextView"
		default:
			n.Extra[state] = true
		}
	}
	return n
}

// header takes the first line of an outline.
func (t *Tree) header(content string) {
	for _, part := range headerPart.FindAllString(content, -1) {
		key, value, _ := strings.Cut(part, ":")
		if strings.HasPrefix(value, `"`) {
			value = unescape.Replace(strings.Trim(value, `"`))
		}
		t.keep(key, value)
		switch key {
		case "app":
			t.App = value
		case "truncated":
			if n, err := strconv.Atoi(value); err == nil {
				t.Truncated = n
			} else {
				t.Truncated = -1
			}
		}
	}
}

var headerPart = lazyregexp.New(`[a-z-]+(?::(?:"(?:[^"\\]|\\.)*"|[^ "]+))?`)

var (
	framePart  = lazyregexp.New(`\{\{-?[0-9.eE+-]+, ?-?[0-9.eE+-]+\}, ?\{-?[0-9.eE+-]+, ?-?[0-9.eE+-]+\}\}`)
	namedPart  = lazyregexp.New(`\b([A-Za-z_]+) ?[:=] ?(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|([^,'"\s]+))`)
	quotedPart = lazyregexp.New(`"((?:[^"\\]|\\.)*)"|'([^']*)'`)
	memoryPart = lazyregexp.New(`\b0x[0-9a-fA-F]+\b`)
)

// wordStates are the states that XCTest's debug descriptions say in words.
var wordStates = map[string]func(*ui.Node){
	"Disabled":         func(n *ui.Node) { n.Disabled = true },
	"Selected":         func(n *ui.Node) { n.Selected = true },
	"Keyboard Focused": func(n *ui.Node) { n.Focused = true },
	"Focused":          func(n *ui.Node) { n.Focused = true },
}

// describedLine reads a line that begins with a type, as in XCTest's debug descriptions and listings of AX trees: Button, 0x600…, {{16.0,
// 165.0}, {361.0, 51.0}}, identifier: 'a', label: 'b', Disabled. Nil if the line has another form.
func describedLine(content string) *ui.Node {
	end := strings.IndexFunc(content, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') })
	if end < 0 {
		end = len(content)
	}
	word := content[:end]
	if !ui.KnownType(word) {
		return nil
	}
	o := object{{"type", word}}
	rest := content[end:]
	if frame := framePart.FindString(rest); frame != "" {
		o = append(o, member{"frame", frame})
		rest = strings.Replace(rest, frame, "", 1)
	}
	taken := map[string]bool{"type": true}
	for _, m := range namedPart.FindAllStringSubmatch(rest, -1) {
		key := m[1]
		if known, ok := lineKeys[strings.ToLower(key)]; ok {
			key = known
		}
		if taken[key] {
			continue
		}
		taken[key] = true
		o = append(o, member{key, m[2] + unescape.Replace(m[3]) + m[4]})
		rest = strings.Replace(rest, m[0], "", 1)
	}
	if m := quotedPart.FindStringSubmatch(rest); m != nil && !taken["label"] {
		o = append(o, member{"label", unescape.Replace(m[1]) + m[2]})
		rest = strings.Replace(rest, m[0], "", 1)
	}
	n := (&Tree{}).node(o)
	var left []string
	for part := range strings.SplitSeq(rest, ",") {
		part = strings.Trim(part, " \t()[]")
		if set, ok := wordStates[part]; ok {
			set(n)
			continue
		}
		if part != "" {
			left = append(left, part)
		}
	}
	if len(left) > 0 {
		n.Extra = with(n.Extra, "line", content)
		if len(left) == 1 && memoryPart.MatchString(left[0]) {
			n.Extra = with(nil, "address", left[0])
		}
	}
	return n
}

// lineKeys maps the words of listings to our names.
var lineKeys = map[string]string{
	"id": "identifier", "identifier": "identifier", "label": "label", "name": "name", "title": "title", "value": "value",
	"placeholder": "placeholder", "placeholdervalue": "placeholder", "enabled": "enabled", "frame": "frame",
	"axlabel": "label", "axuniqueid": "identifier", "axvalue": "value",
}
