package op

import (
	"encoding/json"

	"ios-agent/internal/fault/mask"
)

// hide takes the secrets out of an answer. Pictures stay: whoever may look at a device sees what it shows.
func (c *Catalogue) hide(e Envelope) Envelope {
	if c.o.Secrets.Empty() {
		return e
	}
	e.Stdout, e.Result = c.o.Secrets.Text(e.Stdout), c.o.Secrets.JSON(e.Result)
	if e.Error != nil {
		e.Error = e.Error.Without(c.o.Secrets)
	}
	e.Meta = hidden(c.o.Secrets, e.Meta)
	return e
}

func hidden[T any](secrets *mask.Set, part T) T {
	raw, err := json.Marshal(part)
	if clean := secrets.JSON(raw); err == nil && string(clean) != string(raw) {
		var shown T
		_ = json.Unmarshal(clean, &shown) // only texts have changed
		return shown
	}
	return part
}

// hideItem takes the secrets out of what a stream tells.
func (c *Catalogue) hideItem(emit func(any) error) func(any) error {
	return func(item any) error {
		if c.o.Secrets.Empty() {
			return emit(item)
		}
		raw, err := json.Marshal(item)
		if err != nil {
			return err
		}
		return emit(hiddenItem{c.o.Secrets.JSON(raw), EventName(item)})
	}
}

// hiddenItem is an item without its secrets, under its name.
type hiddenItem struct {
	json.RawMessage
	name string
}

// EventName is that of the item.
func (i hiddenItem) EventName() string { return i.name }
