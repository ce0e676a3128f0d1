package webdriver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// W3CElement is W3C's JSON key for the id of an element.
const W3CElement = "element-6066-11e4-a52e-4f735466cecf"

// oldElement is the key of the JSON wire protocol, which WebDriverAgent still sends besides W3C's.
const oldElement = "ELEMENT"

// Element is a server's id of an element. It is valid in its session, as long as the element exists.
type Element string

// UnmarshalJSON reads either key.
func (e *Element) UnmarshalJSON(data []byte) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return err
	}
	id, ok := keys[W3CElement]
	if !ok {
		id, ok = keys[oldElement]
	}
	var text string
	if !ok || json.Unmarshal(id, &text) != nil || text == "" {
		return fmt.Errorf("the element has no id")
	}
	*e = Element(text)
	return nil
}

// MarshalJSON writes both keys, as servers do.
func (e Element) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{W3CElement: string(e), oldElement: string(e)})
}

// Session is one session of a server.
type Session struct {
	ID           string
	Capabilities json.RawMessage // as the server sent them; may be empty
}

// NewSession starts a session whose capabilities must all hold. WebDriverAgent has one session: a new one ends the one before.
func (c *Client) NewSession(ctx context.Context, capabilities map[string]any) (Session, error) {
	if capabilities == nil {
		capabilities = map[string]any{}
	}
	body := map[string]any{"capabilities": map[string]any{"alwaysMatch": capabilities, "firstMatch": []any{map[string]any{}}}}
	a, err := c.Do(ctx, Act(Path("session"), body))
	if err != nil {
		return Session{}, err
	}
	var said struct {
		ID           string          `json:"sessionId"`
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if err := json.Unmarshal(a.Value, &said); err != nil || said.ID == "" {
		if said.ID = a.Session; said.ID == "" {
			return Session{}, &AnswerError{URL: c.URL(), Acts: true, Why: "it has no session id"}
		}
	}
	return Session{ID: said.ID, Capabilities: said.Capabilities}, nil
}

// EndSession ends a session. It succeeds if the session does not exist.
func (c *Client) EndSession(ctx context.Context, id string) error {
	_, err := c.Do(ctx, Request{Method: http.MethodDelete, Path: Path("session", id), Acts: true})
	if Is(err, InvalidSession) {
		return nil
	}
	return err
}

// Status is a server's description of itself. A missing field is empty.
type Status struct {
	Ready   bool
	Message string
	OS      string // iOS
	Version string // of the OS
	Build   string // of the server
	Device  string // iphone, ipad
	// Simulator is the version of the simulator that the server runs on; "" on a device.
	Simulator string
}

// Status asks whether the server is ready. A server of 2016 does not report readiness; its state counts as success.
func (c *Client) Status(ctx context.Context) (Status, error) {
	said, err := Ask[struct {
		Ready   *bool  `json:"ready"`
		State   string `json:"state"`
		Message string `json:"message"`
		Device  string `json:"device"`
		OS      struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"os"`
		IOS struct {
			Simulator string `json:"simulatorVersion"`
		} `json:"ios"`
		Build struct {
			Version string `json:"version"`
		} `json:"build"`
	}](ctx, c, Get(Path("status")))
	if err != nil {
		return Status{}, err
	}
	s := Status{Ready: said.State == "success", Message: said.Message, OS: said.OS.Name, Version: said.OS.Version,
		Build: said.Build.Version, Device: said.Device, Simulator: said.IOS.Simulator}
	if said.Ready != nil {
		s.Ready = *said.Ready
	}
	return s, nil
}
