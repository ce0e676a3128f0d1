// Package app reads virtual apps: .app folders whose ui.yaml describes screens, elements and behaviour.
//
// It knows the language, not the stage: where an element lies on a screen, what is on top of what, and when
// things move is the world's business. A ui.yaml looks like this:
//
//	start: first                 # the screen shown at launch
//	state:                       # variables with their initial values: string, number or bool
//	  name: ""
//	  visits: 0
//	screens:
//	  first:
//	    title: Hello
//	    elements:                # stacked from top to bottom
//	      - text: "Visits: {visits}"
//	        visible: {visits: notempty}
//	      - field: Name
//	        bind: name
//	      - row:                 # side by side; the first one takes the room that is left
//	          - text: Coffee
//	          - button: Add
//	            label: Add Coffee
//	            do: [{add: {visits: 1}}]
//	      - button: Next
//	        enabled: {name: notempty}
//	        do:
//	          - when: {name: root}
//	            do: [{set: {name: ""}}]
//	            else: [{go: second}]
//
// A condition is a map; all its entries must hold. An entry's value is what the variable must equal, or one of
// the words "empty" and "notempty": empty is "", 0 and false. "{name}" in a text is replaced by the variable's
// value; "{{" is a brace.
package app

// App is the definition of an app's user interface.
type App struct {
	Start   string
	State   Vars // the variables and their initial values
	Screens map[string]*Screen
}

// Screen is one page of an app.
type Screen struct {
	Name     string
	Title    Text
	Elements []*Element
}

// Element is one thing on a screen.
type Element struct {
	Key         string // unique on its screen and stable: the id, or the place in the file
	Kind        Kind
	ID          string
	Text        Text // what the key of the kind says: a text's content, a button's or a field's name
	Label       Text // what accessibility says instead of Text; empty means Text
	Style       string
	Placeholder Text
	Bind        string // the variable a field edits
	Enabled     Cond
	Visible     Cond
	Do          []Step
	Row         []*Element
}

// Kind is what sort of element an Element is.
type Kind string

// The kinds of elements.
const (
	KindText   Kind = "text"
	KindField  Kind = "field"
	KindSecure Kind = "secure"
	KindButton Kind = "button"
	KindRow    Kind = "row"
)

// kindRule says what an element of a kind may carry.
type kindRule struct {
	styles []string
	binds  bool // it edits a variable, which must be a string
	acts   bool // it may have steps
}

// kindRules is the one list of kinds: adding a kind starts here.
func kindRules() map[Kind]kindRule {
	return map[Kind]kindRule{
		KindText:   {styles: []string{"body", "error", "footnote", "headline", "price", "success"}},
		KindField:  {binds: true},
		KindSecure: {binds: true},
		KindButton: {styles: []string{"destructive", "filled", "plain", "tinted"}, acts: true},
		KindRow:    {},
	}
}

// AccessibleLabel is what accessibility calls e.
func (e *Element) AccessibleLabel(vars Vars) string {
	if e.Label != "" {
		return e.Label.Expand(vars)
	}
	return e.Text.Expand(vars)
}
