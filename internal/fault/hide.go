package fault

import (
	"encoding/json"

	"ios-agent/internal/fault/mask"
)

// Without returns the fault with its secrets hidden.
func (f *Fault) Without(secrets *mask.Set) *Fault {
	c := *f
	c.Message, c.Hint = secrets.Text(f.Message), secrets.Text(f.Hint)
	raw, err := json.Marshal(f.Details)
	if hidden := secrets.JSON(raw); err != nil || string(hidden) != string(raw) {
		c.Details = nil
		_ = json.Unmarshal(hidden, &c.Details) // details that cannot be encoded are left out
	}
	return &c
}

// Shortened returns the fault with shorter texts, and with details that are shortened as JSON: they may contain long output of a program.
func (f *Fault) Shortened(text func(string) string, details func([]byte) []byte) *Fault {
	c := *f
	c.Message, c.Hint = text(f.Message), text(f.Hint)
	raw, err := json.Marshal(f.Details)
	if short := details(raw); err == nil && len(short) != len(raw) {
		c.Details = nil
		_ = json.Unmarshal(short, &c.Details) // it was encoded above, so it decodes
	}
	return &c
}
