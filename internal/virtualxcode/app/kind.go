package app

import (
	"maps"
	"slices"
	"strings"
)

// Kind is the kind of an element.
type Kind string

// The kinds of elements.
const (
	KindText      Kind = "text"
	KindField     Kind = "field"
	KindSecure    Kind = "secure"
	KindSearch    Kind = "search"
	KindEditor    Kind = "editor"
	KindButton    Kind = "button"
	KindLink      Kind = "link"
	KindToggle    Kind = "toggle"
	KindSlider    Kind = "slider"
	KindStepper   Kind = "stepper"
	KindSegmented Kind = "segmented"
	KindPicker    Kind = "picker"
	KindImage     Kind = "image"
	KindSpinner   Kind = "spinner"
	KindProgress  Kind = "progress"
	KindArea      Kind = "area"
	KindRow       Kind = "row"
	KindGroup     Kind = "group"
	KindList      Kind = "list"
	KindWeb       Kind = "web"
	KindPermitted Kind = "permissions"
)

// kindRule declares the allowed keys of a kind.
type kindRule struct {
	styles []string
	keys   string // the allowed keys beyond the common ones
	binds  any    // a value of the type of its variable; nil: no variable
	holds  string // the kinds of its children; empty: it holds a text
	ranges Range  // default numbers
	height float64
}

// keyboards are the keyboards of a field; the pads have no return key.
var keyboards = []string{"email", "url", "number", "numberpad", "decimalpad", "phonepad"}

// kindRules are the rules of all kinds; a new kind starts here.
var kindRules = map[Kind]kindRule{
	KindText:   {keys: "drag drop", styles: []string{"body", "caption", "error", "footnote", "headline", "price", "success"}},
	KindField:  {binds: "", keys: "placeholder keyboard submit"},
	KindSecure: {binds: "", keys: "placeholder submit"},
	KindSearch: {binds: "", keys: "placeholder submit"},
	KindEditor: {binds: "", keys: "placeholder height", height: 100},
	KindButton: {styles: []string{"cancel", "cell", "destructive", "filled", "plain", "tinted"},
		keys: "do double hold detail icon drag drop"},
	KindLink:      {keys: "do"},
	KindToggle:    {binds: false, keys: "do icon"},
	KindSlider:    {binds: 0.0, keys: "do min max step", ranges: Range{Max: 100}},
	KindStepper:   {binds: 0.0, keys: "do min max step", ranges: Range{Max: 100, Step: 1}},
	KindSegmented: {binds: "", keys: "do options"},
	KindPicker:    {binds: "", keys: "do options"},
	KindImage:     {keys: "icon width height do double pinch drag drop", height: 120},
	KindSpinner:   {},
	KindProgress:  {binds: 0.0, keys: "min max", ranges: Range{Max: 100}},
	KindArea:      {keys: "do double hold swipe pinch point width height drag drop", height: 100},
	KindRow:       {holds: "text button toggle spinner image link"},
	KindGroup:     {holds: "text button toggle row link slider stepper field secure"},
	KindList:      {keys: "height filter label reorder do", holds: "text button toggle row group link search", height: 300},
	KindWeb:       {keys: "height hidden", holds: "text button link field secure search image row group toggle spinner", height: 240},
	KindPermitted: {},
}

func (k kindRule) may(key string) bool { return slices.Contains(strings.Fields(k.keys), key) }

func (k kindRule) mayHold(kind Kind) bool {
	return slices.Contains(strings.Fields(k.holds), string(kind))
}

func kindNames() string {
	var names []string
	for kind := range maps.Keys(kindRules) {
		names = append(names, string(kind))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
