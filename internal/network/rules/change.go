package rules

import (
	"fmt"
	"net/url"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/flow"
)

// ChangeError is an error in a change.
type ChangeError struct {
	Field string
	Why   string
	Hint  string
}

func (e *ChangeError) Error() string {
	return fmt.Sprintf("cannot change the %s: %s", e.Field, e.Why)
}

// Fault converts the error for a caller.
func (e *ChangeError) Fault() *fault.Fault {
	return fault.New(fault.InvalidInput, "%w", e).WithHint("%s The flow is still held.", e.Hint).With("field", e.Field)
}

// mostBody is the maximum size of a new body, in bytes.
const mostBody = 10 << 20

// CheckChange checks the change of a flow held in a phase; its error is a *ChangeError.
func CheckChange(c *flow.Change, phase Phase) error {
	switch {
	case phase == AtResponse && c.Method != nil:
		return &ChangeError{"method", "the request was sent already", "Change status, headers or body of the response."}
	case phase == AtResponse && c.URL != nil:
		return &ChangeError{"url", "the request was sent already", "Change status, headers or body of the response."}
	case phase == AtRequest && c.Status != nil:
		return &ChangeError{"status", "the response has not arrived yet", "Hold the response to change it, or answer with a mock."}
	case c.Method != nil && !flow.Token(*c.Method):
		return &ChangeError{"method", "a method must be one word", "Write GET, POST or another one."}
	case c.Method != nil && strings.EqualFold(*c.Method, "CONNECT"):
		return &ChangeError{"method", "a request cannot become a CONNECT", "Write GET, POST or another one."}
	case c.URL != nil && !absolute(*c.URL):
		return &ChangeError{"url", "a URL must be absolute, with http or https and a host", "Write it like https://example.com/orders."}
	case c.Status != nil && (*c.Status < 100 || *c.Status > 599):
		return &ChangeError{"status", "a status is from 100 to 599", "Write 200, 404 or another one."}
	case c.Body != nil && len(*c.Body) > mostBody:
		return &ChangeError{"body", fmt.Sprintf("it is larger than %d bytes", mostBody), "Send less."}
	}
	for _, line := range c.Set {
		if err := checkLine(line); err != nil {
			return err
		}
	}
	for _, name := range c.Remove {
		if err := checkLine(flow.Field{Name: name}); err != nil {
			return err
		}
	}
	return nil
}

func checkLine(line flow.Field) error {
	switch {
	case !flow.Token(line.Name):
		return &ChangeError{"headers", fmt.Sprintf("invalid header name %q", line.Name), "Write letters, digits and dashes."}
	case strings.ContainsAny(line.Value, "\r\n\x00"):
		return &ChangeError{"headers", fmt.Sprintf("the value of %s contains a line break", line.Name), "Write the value in one line."}
	case strings.EqualFold(line.Name, "content-length") || strings.EqualFold(line.Name, "transfer-encoding"):
		return &ChangeError{"headers", "the proxy itself writes " + line.Name, "Leave the header out: its value follows from the body."}
	}
	return nil
}

func absolute(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.ContainsAny(text, " \t\r\n\x00")
}
