package op

import "encoding/json"

// hide takes the secrets out of an answer. Pictures stay: whoever may look at a device sees what it shows.
func (c *Catalogue) hide(e Envelope) Envelope {
	if c.Secrets.Empty() {
		return e
	}
	e.Stdout, e.Result = c.Secrets.Text(e.Stdout), c.Secrets.JSON(e.Result)
	if e.Error != nil {
		e.Error = e.Error.Without(c.Secrets)
	}
	raw, err := json.Marshal(e.Meta)
	if hidden := c.Secrets.JSON(raw); err == nil && string(hidden) != string(raw) {
		e.Meta = Meta{}
		_ = json.Unmarshal(hidden, &e.Meta) // only texts have changed
	}
	return e
}

// hideItem takes the secrets out of what a stream tells.
func (c *Catalogue) hideItem(emit func(any) error) func(any) error {
	return func(item any) error {
		if c.Secrets.Empty() {
			return emit(item)
		}
		raw, err := json.Marshal(item)
		if err != nil {
			return err
		}
		return emit(hiddenItem{c.Secrets.JSON(raw), EventName(item)})
	}
}

// hiddenItem is an item without its secrets, under its name.
type hiddenItem struct {
	json.RawMessage
	name string
}

// EventName is that of the item.
func (i hiddenItem) EventName() string { return i.name }
