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

// Shortened is the fault with shorter texts, and details that are shortened as JSON: what was read elsewhere may be long.
func (f *Fault) Shortened(text func(string) string, details func([]byte) []byte) *Fault {
	c := *f
	c.Message, c.Hint = text(f.Message), text(f.Hint)
	raw, err := json.Marshal(f.Details)
	if short := details(raw); err == nil && len(short) != len(raw) {
		c.Details = nil
		_ = json.Unmarshal(short, &c.Details) // it was written above
	}
	return &c
}
