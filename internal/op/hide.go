package op

import (
	"encoding/json"

	"ios-agent/internal/fault/mask"
)

// hide removes the secrets from an answer. Pictures stay, because a client that may look at a device may see its screen.
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
		_ = json.Unmarshal(clean, &shown) // only texts have changed, so it still decodes
		return shown
	}
	return part
}

// hideItem removes the secrets from the items of a stream.
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

// hiddenItem is an item without its secrets, with its event name.
type hiddenItem struct {
	json.RawMessage
	name string
}

// EventName returns the event name of the item.
func (i hiddenItem) EventName() string { return i.name }
