package target

import (
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// ElementIn names an element by its attributes. All given attributes must match.
type ElementIn struct {
	Ref        string `json:"ref,omitempty" doc:"from a snapshot: @e12" match:"^@?(e\\d|\\w+_)\\w*$" else:"label" cli:"arg"`
	Identifier string `json:"identifier,omitempty" doc:"exact identifier"`
	Label      string `json:"label,omitempty" doc:"label, any case"`
	Contains   string `json:"contains,omitempty" doc:"in label, value or identifier"`
	Type       string `json:"type,omitempty" doc:"such as Button"`
	Role       string `json:"role,omitempty" doc:"such as button"`
	Value      string `json:"value,omitempty" doc:"exact value"`
	Index      *int   `json:"index,omitempty" doc:"which of several matches, from 0" min:"0"`
	Within     string `json:"within,omitempty" doc:"ref, identifier or label around it"`
}

// Query is the element as a query.
func (e ElementIn) Query() ui.Query {
	return ui.Query{
		Ref: e.Ref, Identifier: e.Identifier, Label: e.Label, Contains: e.Contains, Type: e.Type, Role: e.Role, Value: e.Value,
		Index: e.Index, Within: e.Within,
	}
}

// ElementKeys are the inputs that can name an element. An action on an element needs at least one of them.
func ElementKeys() []string {
	return []string{"ref", "identifier", "label", "contains", "type", "role", "value"}
}

// ActIn has the inputs of every action.
type ActIn struct {
	Expect  bool `json:"expect_change,omitempty" doc:"fail when nothing changes"`
	Timeout int  `json:"timeout_ms,omitempty" doc:"longest wait for the element and the change" min:"0" max:"60000" default:"5000" unit:"ms"`
	NoWait  bool `json:"no_wait,omitempty" doc:"one attempt, now"`
	Settle  *int `json:"settle_ms,omitempty" doc:"longest wait for stillness" min:"0" max:"10000" unit:"ms"`
}

// How has the options in the form of package act.
func (a ActIn) How() act.How {
	timeout := time.Duration(max(a.Timeout, 1)) * time.Millisecond // 0 would mean the default of package act
	how := act.How{Timeout: timeout, NoWait: a.NoWait || a.Timeout == 0}
	if a.Settle != nil {
		how.Settle = new(time.Duration(*a.Settle) * time.Millisecond)
	}
	return how
}

// ScrollIn is the input of actions that can scroll their element into view.
type ScrollIn struct {
	Scroll bool `json:"scroll,omitempty" doc:"scroll it into view first"`
}

// PointIn is a place on the screen.
type PointIn struct {
	X *float64 `json:"x,omitempty" doc:"points from the left" min:"0"`
	Y *float64 `json:"y,omitempty" doc:"points from the top" min:"0"`
}

// Point is the point, and whether the call gave one.
func (p PointIn) Point(operation string) (ui.Point, bool, error) {
	switch {
	case p.X == nil && p.Y == nil:
		return ui.Point{}, false, nil
	case p.X == nil || p.Y == nil:
		return ui.Point{}, false, fault.New(fault.InvalidInput, "%s: a point is x and y", operation).With("field", "y")
	}
	return ui.Point{X: *p.X, Y: *p.Y}, true, nil
}

// OnElementIn is an element to act on.
type OnElementIn struct {
	Target
	ElementIn
	ActIn
	ScrollIn
}

// How has the options in the form of package act.
func (in OnElementIn) How() act.How {
	how := in.ActIn.How()
	how.Scroll = in.Scroll
	return how
}

// LaunchHow has the arguments and the environment of a launch.
type LaunchHow struct {
	Args []string
	Env  []string // NAME=VALUE
}

// Simulator names a simulator by udid or by name.
type Simulator = pool.Simulator

// ProcessID is the prefix of the udids of desktop processes.
const ProcessID = "pid:"
