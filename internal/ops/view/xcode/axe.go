package xcode

import (
	"cmp"
	"fmt"

	"ios-agent/internal/ui"
	"ios-agent/internal/ui/flat"
)

// axElement is an element with AXe's keys, which are CoreSimulator's. It lacks the key pid: a look does not read the process.
type axElement struct {
	AXFrame     string     `json:"AXFrame"`
	ID          *string    `json:"AXUniqueId"`
	Frame       flat.Frame `json:"frame"`
	Description string     `json:"role_description"`
	Label       *string    `json:"AXLabel"`
	Required    bool       `json:"content_required"`
	Type        string     `json:"type"`
	Title       *string    `json:"title"`
	Help        *string    `json:"help"`
	Actions     []string   `json:"custom_actions"`
	Value       *string    `json:"AXValue"`
	Enabled     bool       `json:"enabled"`
	Role        string     `json:"role"`
	Children    []any      `json:"children"` // axElements; a schema without references cannot say so
	Subrole     *string    `json:"subrole"`
}

// axKind has the names that accessibility uses for an element type of XCUITest.
type axKind struct{ name, role, description, subrole string }

// axKinds are the types whose names differ; the other types keep their name, and their role begins with AX.
var axKinds = map[string]axKind{
	"Other":             {"Group", "AXGroup", "group", ""},
	"Window":            {"Group", "AXGroup", "group", ""},
	"TabBar":            {"Group", "AXGroup", "group", ""},
	"Application":       {"Application", "AXApplication", "application", ""},
	"StaticText":        {"StaticText", "AXStaticText", "text", ""},
	"TextField":         {"TextField", "AXTextField", "text field", ""},
	"SecureTextField":   {"TextField", "AXTextField", "secure text field", "AXSecureTextField"},
	"SearchField":       {"TextField", "AXTextField", "search text field", "AXSearchField"},
	"TextView":          {"TextArea", "AXTextArea", "text entry area", ""},
	"Switch":            {"CheckBox", "AXCheckBox", "switch", "AXSwitch"},
	"ActivityIndicator": {"ProgressIndicator", "AXBusyIndicator", "busy indicator", ""},
	"ProgressIndicator": {"ProgressIndicator", "AXProgressIndicator", "progress indicator", ""},
	"PickerWheel":       {"Slider", "AXSlider", "adjustable", ""},
	"Icon":              {"Button", "AXButton", "button", ""},
	"Key":               {"Button", "AXButton", "keyboard key", "AXKeyboardKey"},
}

// inAXe converts an element and its children. An empty field shows its placeholder as its value.
func inAXe(n *ui.Node) axElement {
	from, kind := flat.ElementOf(n), axKinds[n.Type]
	f := n.Frame
	e := axElement{
		AXFrame: fmt.Sprintf("{{%v, %v}, {%v, %v}}", f.X, f.Y, f.W, f.H), Frame: flat.Frame{X: f.X, Y: f.Y, Width: f.W, Height: f.H},
		ID: from.Identifier, Label: orNull(n.Label), Value: orNull(cmp.Or(n.Value, n.Placeholder)), Help: from.Help, Actions: from.CustomActions,
		Enabled: from.Enabled, Type: cmp.Or(kind.name, n.Type), Role: cmp.Or(kind.role, from.Role),
		Description: cmp.Or(kind.description, from.RoleDescription), Subrole: orNull(kind.subrole), Children: []any{},
	}
	for _, child := range n.Children {
		e.Children = append(e.Children, inAXe(child))
	}
	return e
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
