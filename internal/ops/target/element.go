package target

import (
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// ElementIn says which element is meant; all that is given must hold.
type ElementIn struct {
	Ref        string `json:"ref,omitempty" doc:"from a snapshot: @e12" match:"^@?(e\\d|\\w+_)\\w*$" else:"label" cli:"arg"`
	Identifier string `json:"identifier,omitempty" doc:"exact identifier"`
	Label      string `json:"label,omitempty" doc:"label, any case"`
	Contains   string `json:"contains,omitempty" doc:"in label, value or identifier"`
	Type       string `json:"type,omitempty" doc:"such as Button"`
	Role       string `json:"role,omitempty" doc:"such as button"`
	Value      string `json:"value,omitempty" doc:"exact value"`
	Index      *int   `json:"index,omitempty" doc:"of several, from 0" min:"0"`
	Within     string `json:"within,omitempty" doc:"ref, identifier or label around it"`
}

func (e ElementIn) Query() ui.Query {
	return ui.Query{
		Ref: e.Ref, Identifier: e.Identifier, Label: e.Label, Contains: e.Contains, Type: e.Type, Role: e.Role, Value: e.Value,
		Index: e.Index, Within: e.Within,
	}
}

// ElementKeys are the inputs of which an action on an element needs at least one.
func ElementKeys() []string {
	return []string{"ref", "identifier", "label", "contains", "type", "role", "value"}
}

// ActIn is what every action takes.
type ActIn struct {
	Expect  bool `json:"expect_change,omitempty" doc:"fail when nothing changes"`
	Timeout int  `json:"timeout_ms,omitempty" doc:"for target and expected change" min:"0" max:"60000" default:"5000" unit:"ms"`
	NoWait  bool `json:"no_wait,omitempty" doc:"one attempt, now"`
	Settle  *int `json:"settle_ms,omitempty" doc:"longest wait for stillness" min:"0" max:"10000" unit:"ms"`
}

func (a ActIn) How() act.How {
	timeout := time.Duration(max(a.Timeout, 1)) * time.Millisecond // act takes 0 for its own default
	how := act.How{Timeout: timeout, NoWait: a.NoWait || a.Timeout == 0}
	if a.Settle != nil {
		how.Settle = new(time.Duration(*a.Settle) * time.Millisecond)
	}
	return how
}

// ScrollIn is for actions that may bring their element into view.
type ScrollIn struct {
	Scroll bool `json:"scroll,omitempty" doc:"scroll it into view first"`
}

// PointIn is a place on the screen.
type PointIn struct {
	X *float64 `json:"x,omitempty" doc:"points from the left" min:"0"`
	Y *float64 `json:"y,omitempty" doc:"points from the top" min:"0"`
}

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

func (in OnElementIn) How() act.How {
	how := in.ActIn.How()
	how.Scroll = in.Scroll
	return how
}

// LaunchHow is how an app is launched.
type LaunchHow struct {
	Args []string
	Env  []string // NAME=VALUE
}

// Simulator says which simulator is meant: by udid or by name.
type Simulator = pool.Simulator

// ProcessID is what the ids of processes of a desktop begin with.
const ProcessID = "pid:"
