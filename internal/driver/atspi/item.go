package atspi

import "ios-agent/internal/ui"

// item is an element as the bus tells it.
type item struct {
	ref               ref
	parent            ref
	listed            []ref // its children, where the cache names them
	index             int   // among its siblings; -1: not told
	kids              int   // how many children it has; -1: not told
	faces             faces
	name, description string
	role              uint32
	states            states
	children          []*item

	showing bool
	bounds  *ui.Rect
	actions []actionName
	number  *float64
	low     *float64 // the least that number may be
	high    *float64
	count   int // of characters
	text    *string
	label   string // what labels it
	attrs   map[string]string
}

// makes reports whether the children are made when somebody asks, such as the cells of a table.
func (it *item) makes() bool {
	return it.states.has(stateManages) || it.role == roleTable || it.role == roleTree || it.role == roleTreeTable
}

// walk visits it and all below it.
func (it *item) walk(visit func(*item)) {
	visit(it)
	for _, c := range it.children {
		c.walk(visit)
	}
}

// states are the bits of AtspiStateType.
type states uint64

func (s states) has(bit uint) bool { return s>>bit&1 == 1 }

// Those that are looked at.
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
	stateManages       = 31 // its descendants are made when somebody asks
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

// Roles that are treated specially.
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
