package target

// StatusOut is the answer of a setting: quern's words.
type StatusOut struct {
	Status string `json:"status"`
	UDID   string `json:"udid"`

	Said string `json:"-"` // in words
}

// Text says what was done.
func (o StatusOut) Text() string { return o.Said }
