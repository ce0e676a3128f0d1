package fault

import (
	"encoding/json"

	"ios-agent/internal/fault/mask"
)

// Without is the fault without secrets.
func (f *Fault) Without(secrets *mask.Set) *Fault {
	c := *f
	c.Message, c.Hint = secrets.Text(f.Message), secrets.Text(f.Hint)
	raw, err := json.Marshal(f.Details)
	if hidden := secrets.JSON(raw); err != nil || string(hidden) != string(raw) {
		c.Details = nil
		_ = json.Unmarshal(hidden, &c.Details) // details that cannot be written are left out
	}
	return &c
}
