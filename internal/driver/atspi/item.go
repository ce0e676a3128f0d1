package atspi

import "ios-agent/internal/ui"

// item is an element with the data from the bus.
type item struct {
	ref               ref
	parent            ref
	listed            []ref // its children, if the cache has them
	index             int   // among its siblings; -1: unknown
	kids              int   // number of children; -1: unknown
	faces             faces
	name, description string
	role              uint32
	states            states
	children          []*item

	showing bool
	bounds  *ui.Rect
	actions []actionName
	number  *float64
	low     *float64 // minimum of number
	high    *float64
	count   int // number of characters
	text    *string
	label   string // the name of the element that labels it
	attrs   map[string]string
}

// makes reports whether the children are created on request, such as the cells of a table.
func (it *item) makes() bool {
	return it.states.has(stateManages) || it.role == roleTable || it.role == roleTree || it.role == roleTreeTable
}

// walk visits it and its descendants.
func (it *item) walk(visit func(*item)) {
	visit(it)
	for _, c := range it.children {
		c.walk(visit)
	}
}

// states are the bits of AtspiStateType.
type states uint64

func (s states) has(bit uint) bool { return s>>bit&1 == 1 }

// The states that the package reads.
const (
	stateActive        = 1
	stateChecked       = 4
	stateDefunct       = 6
	stateEditable      = 7
	stateEnabled       = 8
	stateFocusable     = 11
	stateFocused       = 12
	stateIconified     = 15
	stateModal         = 16
	stateMultiLine     = 17
	statePressed       = 20
	stateSelected      = 23
	stateSensitive     = 24
	stateShowing       = 25
	stateVisible       = 30
	stateManages       = 31 // its descendants are created on request
	stateIndeterminate = 32
)

// faces are the interfaces of an element.
type faces uint8

const (
	faceComponent faces = 1 << iota
	faceAction
	faceValue
	faceText
	faceEditable
	faceTable
)

var faceNames = map[string]faces{
	component: faceComponent, action: faceAction, value: faceValue, text: faceText, editable: faceEditable, "org.a11y.atspi.Table": faceTable,
}

func (f faces) has(g faces) bool { return f&g != 0 }

// Roles with special treatment.
const (
	roleComboBox     = 11
	roleMenuBar      = 34
	rolePassword     = 40
	roleTable        = 55
	roleCell         = 56
	roleTree         = 65
	roleTreeTable    = 66
	roleApplication  = 75
	roleToggleButton = 62
)
