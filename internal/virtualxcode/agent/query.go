package agent

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// query is a parsed selector.
type query struct {
	base    string
	index   int    // index among the matches, in document order
	byLabel bool   // compare labels rather than identifiers
	kind    string // element type; empty is any
}

// newQuery reads "base" or "base[N]" with ASCII digits; other brackets belong to the base.
func newQuery(selector string, byLabel bool, kind string) query {
	q := query{base: selector, byLabel: byLabel, kind: kind}
	open := strings.LastIndexByte(selector, '[')
	if open < 0 || !strings.HasSuffix(selector, "]") {
		return q
	}
	digits := selector[open+1 : len(selector)-1]
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return q
	}
	q.base = selector[:open]
	n, err := strconv.Atoi(digits)
	if err != nil {
		n = math.MaxInt // a number that overflows matches nothing
	}
	q.index = n
	return q
}

// lenientQuery is newQuery for requests that ignore an unknown type.
func lenientQuery(selector string, byLabel bool, kind *string) query {
	if kind == nil || !knownType(*kind) {
		return newQuery(selector, byLabel, "")
	}
	return newQuery(selector, byLabel, *kind)
}

// String is the query in words, for faults.
func (q query) String() string {
	by := "identifier"
	if q.byLabel {
		by = "label"
	}
	text := fmt.Sprintf("with %s %q", by, q.base)
	if q.kind != "" {
		text += " of type " + q.kind
	}
	if q.index > 0 {
		text += fmt.Sprintf(" at index %d", q.index)
	}
	return text
}

func (q query) matches(e *world.Element) bool {
	text := e.Identifier
	if q.byLabel {
		text = e.Label
	}
	return text == q.base && (q.kind == "" || q.kind == anyType || q.kind == e.Type)
}

// find returns the path from root to the match, or nil. The app's own element is not among its descendants.
func (q query) find(root *world.Element) path {
	left := q.index
	return find(path{root}, func(e *world.Element) bool {
		if !q.matches(e) {
			return false
		}
		left--
		return left < 0
	})
}

// find returns the path to the first match below the end of a path, in document order, or nil.
func find(at path, match func(*world.Element) bool) path {
	for _, child := range at.element().Children {
		here := append(at, child)
		if match(child) {
			return slices.Clone(here)
		}
		if found := find(here, match); found != nil {
			return found
		}
	}
	return nil
}

const anyType = "Any"

// knownType reports whether XCTest has an element type of that name, with this case.
func knownType(name string) bool { return slices.Contains(strings.Fields(typeNames), name) }

const typeNames = anyType + ` Other Application Group Window Sheet Drawer Alert Dialog Button RadioButton RadioGroup
	CheckBox DisclosureTriangle PopUpButton ComboBox MenuButton ToolbarButton Popover Keyboard Key NavigationBar
	TabBar TabGroup Toolbar StatusBar Table TableRow TableColumn Outline OutlineRow Browser CollectionView Slider
	PageIndicator ProgressIndicator ActivityIndicator SegmentedControl Picker PickerWheel Switch Toggle Link Image
	Icon SearchField ScrollView ScrollBar StaticText TextField SecureTextField DatePicker TextView Menu MenuItem
	MenuBar MenuBarItem Map WebView IncrementArrow DecrementArrow Timeline RatingIndicator ValueIndicator SplitGroup
	Splitter RelevanceIndicator ColorWell HelpTag Matte DockItem Ruler RulerMarker Grid LevelIndicator Cell
	LayoutArea LayoutItem Handle Stepper Tab TouchBar StatusItem`
