package ui

import (
	"encoding/json"
	"fmt"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// The errors below say why an element cannot be found or touched. In every case no input was sent. Our own code asks for their types;
// callers outside get their faults.
var (
	_ fault.Typed = (*NotFoundError)(nil)
	_ fault.Typed = (*AmbiguousError)(nil)
	_ fault.Typed = (*ExpiredError)(nil)
	_ fault.Typed = (*NotInFrontError)(nil)
	_ fault.Typed = (*UnreachableError)(nil)
)

// Candidate is an element that a fault offers in place of an unresolved one.
type Candidate struct {
	Ref  string `json:"ref"`
	Type string `json:"type"`
	Locator
	Centre Point `json:"centre"`
}

// MarshalJSON writes the type as snapshots do.
func (c Candidate) MarshalJSON() ([]byte, error) {
	type plain Candidate
	c.Type = typePrefix + c.Type
	return json.Marshal(plain(c))
}

// NotFoundError reports that no element fits the query.
type NotFoundError struct {
	Message    string
	Hint       string      // empty: the code's usual hint
	Candidates []Candidate // nil when the fault offers none
}

func (e *NotFoundError) Error() string { return e.Message }

// Fault is ELEMENT_NOT_FOUND.
func (e *NotFoundError) Fault() *fault.Fault {
	f := fault.New(fault.ElementNotFound, "%w", e).WithDispatch(fault.NotDispatched)
	if e.Candidates != nil {
		f = f.With("candidates", e.Candidates)
	}
	switch {
	case e.Hint != "":
		f = f.WithHint("%s", e.Hint)
	case len(e.Candidates) > 0:
		f = f.WithHint("near it there is: %s", Offer(e.Candidates))
	}
	return f
}

// AmbiguousError reports that several elements fit the query.
type AmbiguousError struct {
	Message    string
	Candidates []Candidate // the first of them
	All        []*Node
}

func (e *AmbiguousError) Error() string { return e.Message }

// Fault is ELEMENT_AMBIGUOUS.
func (e *AmbiguousError) Fault() *fault.Fault {
	return fault.New(fault.ElementAmbiguous, "%w", e).WithDispatch(fault.NotDispatched).
		With("candidates", e.Candidates).WithHint("no input was sent; pass one of: %s", Offer(e.Candidates))
}

// Reason is why a ref cannot be used.
type Reason string

// The reasons. Callers read them in the details of a fault.
const (
	RefUnknown   Reason = "unknown"   // it was never given out
	RefForgotten Reason = "expired"   // expired long ago, or never given out
	RefForeign   Reason = "foreign"   // it belongs to another device
	RefAmbiguous Reason = "ambiguous" // several elements could be meant
	RefGone      Reason = "gone"      // its element is not on the screen
)

// ExpiredError reports that a ref no longer stands for an element of the screen.
type ExpiredError struct {
	Ref        string // as @e12
	Was        string // the element it stood for; empty when unknown
	Reason     Reason
	Why        string // the reason in words, to follow the ref
	Candidates []Candidate
}

func (e *ExpiredError) Error() string {
	if e.Was == "" {
		return fmt.Sprintf("ref %s %s", e.Ref, e.Why)
	}
	return fmt.Sprintf("ref %s (%s) %s", e.Ref, e.Was, e.Why)
}

// Fault is REF_EXPIRED.
func (e *ExpiredError) Fault() *fault.Fault {
	f := fault.New(fault.RefExpired, "%w", e).WithDispatch(fault.NotDispatched).
		With("ref", e.Ref).With("reason", string(e.Reason)).With("candidates", e.Candidates)
	if len(e.Candidates) > 0 {
		return f.WithHint("no input was sent; on the screen now: %s", Offer(e.Candidates))
	}
	return f
}

// NotInFrontError reports that a ref belongs to an app that is not in front.
type NotInFrontError struct {
	Ref   string // as @e12
	Was   string // the element it stands for
	App   string // the element's
	Front string
}

func (e *NotInFrontError) Error() string {
	return fmt.Sprintf("ref %s (%s) belongs to %s, but %s is in front", e.Ref, e.Was, e.App, e.Front)
}

// Fault is APP_NOT_IN_FRONT.
func (e *NotInFrontError) Fault() *fault.Fault {
	return fault.New(fault.AppNotInFront, "%w", e).WithDispatch(fault.NotDispatched).
		With("ref", e.Ref).With("app", e.App).With("front", e.Front).
		WithHint("no input was sent; %s shows %s; %s brings the app back",
			hint.Do("snapshot"), e.Front, hint.Do("launch_app", "bundle_id", e.App))
}

// UnreachableError reports that a touch would not reach an element.
type UnreachableError struct {
	Element   string // described
	Ref       string // as @e12
	Why       string
	OffScreen bool        // scrolling may bring it into view
	Cover     []Candidate // the elements over it, if any
	Filled    bool        // it is a sheet with values that are lost when it closes
	Pages     bool        // it is a sheet with earlier pages, which may hold such values too
}

func (e *UnreachableError) Error() string { return e.Element + " cannot be tapped: " + e.Why }

// Fault is ELEMENT_NOT_HITTABLE.
func (e *UnreachableError) Fault() *fault.Fault {
	f := fault.New(fault.ElementUnhittable, "%w", e).WithDispatch(fault.NotDispatched).
		With("ref", e.Ref).With("reason", "unreachable")
	if len(e.Cover) > 0 {
		f = f.With("candidates", e.Cover)
		switch c := e.Cover[0]; {
		case c.Type == "Keyboard":
			f = f.WithHint("%s puts the keyboard away, or %s with the text",
				hint.Do("hide_keyboard"), hint.Do("type_text", "text", "TEXT", "submit", true))
		case c.Identifier == dismissRegion && e.Filled:
			f = f.WithHint("use the sheet: closing it loses the values in it; %s shows it", hint.Do("snapshot"))
		case c.Identifier == dismissRegion && e.Pages:
			f = f.WithHint("use the sheet; %s goes back in it", hint.Do("back"))
		case c.Identifier == dismissRegion:
			f = f.WithHint("use the sheet; %s closes it, or %s beside it",
				hint.Do("back"), hint.Do("tap_element", "ref", "@"+strings.TrimPrefix(c.Ref, "@")))
		}
	}
	if e.OffScreen {
		f = f.With("off_screen", true).WithHint("bring it into view: %s", hint.Do("scroll_to", "ref", e.Ref))
	}
	return f
}
