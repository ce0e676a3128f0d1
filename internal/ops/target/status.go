package target

// StatusOut is the answer of an operation on settings, with quern's field names.
type StatusOut struct {
	Status string `json:"status"`
	UDID   string `json:"udid"`

	Said string `json:"-"` // the text
}

// Text is what the operation did.
func (o StatusOut) Text() string { return o.Said }
