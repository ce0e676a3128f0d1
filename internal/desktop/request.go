package desktop

import (
	"encoding/json"
	"time"

	"ios-agent/internal/fault"
)

// Request asks for an action on an element of a session's process, by strobe's names.
type Request struct {
	Session   string          `json:"sessionId" doc:"Session ID (from debug_launch)" empty:"true" cli:"arg"`
	Action    string          `json:"action" doc:"Action to perform" enum:"click,set_value,type,key,scroll,drag" cli:"arg"`
	ID        *string         `json:"id,omitempty" doc:"Target node ID from debug_ui tree. Required for all except 'key'." cli:"arg"`
	Value     json.RawMessage `json:"value,omitempty" doc:"Value to set (number or string). Required for 'set_value'." private:"true"`
	Text      *string         `json:"text,omitempty" doc:"Text to type. Required for 'type'." private:"true"`
	Key       *string         `json:"key,omitempty" doc:"Key name (e.g. 's', 'return', 'escape'). Required for 'key'."`
	Modifiers []string        `json:"modifiers,omitempty" doc:"Modifier keys: 'cmd', 'shift', 'alt', 'ctrl'"`
	Direction *string         `json:"direction,omitempty" doc:"Scroll direction. Required for 'scroll'." enum:"up,down,left,right"`
	Amount    *int            `json:"amount,omitempty" doc:"Scroll amount in lines (default: 3)" min:"1" max:"1000"`
	ToID      *string         `json:"toId,omitempty" doc:"Drag destination node ID. Required for 'drag'."`
	Pointer   bool            `json:"pointer,omitempty" doc:"Drag with the user's mouse pointer, which moves; drags on macOS need it"`
	SettleMS  *int            `json:"settleMs,omitempty" doc:"Wait time after action for UI to update (default: 80ms)" min:"0" max:"60000"`
}

// The actions.
const (
	Click    = "click"
	SetValue = "set_value"
	Type     = "type"
	PressKey = "key"
	Scroll   = "scroll"
	Drag     = "drag"
)

// The seed's figures.
const (
	UsualSettle = 80 * time.Millisecond // the longest wait for the windows to become still, unless settleMs says another
	usualLines  = 3
	dragSteps   = 10
	dragStep    = 16 * time.Millisecond
	afterClick  = 50 * time.Millisecond // until a click has moved the focus
)

// Lines is how far to scroll.
func (r Request) Lines() int {
	if r.Amount == nil {
		return usualLines
	}
	return *r.Amount
}

// Check refuses a request that cannot be meant.
func (r Request) Check() error {
	needs := map[string]struct {
		given       bool
		field, says string
	}{
		SetValue: {r.Value != nil, "value", "value is required for 'set_value' action"},
		Type:     {r.Text != nil, "text", "text is required for 'type' action"},
		PressKey: {r.Key != nil, "key", "key is required for 'key' action"},
		Scroll:   {r.Direction != nil, "direction", "direction is required for 'scroll' action"},
		Drag:     {r.ToID != nil, "toId", "toId is required for 'drag' action"},
	}
	refuse := func(field, says string) error { return fault.New(fault.InvalidInput, "%s", says).With("field", field) }
	if r.Session == "" {
		return refuse("sessionId", "sessionId must not be empty")
	}
	if r.Action != PressKey && r.ID == nil {
		return refuse("id", "id is required for all actions except 'key'")
	}
	if need, has := needs[r.Action]; has && !need.given {
		return refuse(need.field, need.says)
	}
	_, err := ModifiersOf(r.Modifiers)
	return err
}

// Response is what came of a request. Success says that the action was done, not that it had an effect.
type Response struct {
	Success bool   `json:"success"`
	Method  string `json:"method,omitempty"`
	Before  *Node  `json:"nodeBefore,omitempty"`
	After   *Node  `json:"nodeAfter,omitempty"`
	Changed *bool  `json:"changed,omitempty"` // absent when it cannot be known
	Error   string `json:"error,omitempty"`
}

// Differs reports whether an element shows something else than before: its value, whether it is enabled or has the focus, its title. Its
// children and its place do not count.
func Differs(before, after *Node) bool {
	value := func(n *Node) (string, bool) {
		if n.Value == nil {
			return "", false
		}
		return *n.Value, true
	}
	was, had := value(before)
	is, has := value(after)
	return was != is || had != has || before.Enabled != after.Enabled || before.Focused != after.Focused || before.Title != after.Title
}
