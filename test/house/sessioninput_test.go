package house_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/surface/rest"
	"ios-agent/test/house"
)

// TestSessionMustBeText: a session that is an object or a list is refused, on every surface.
func TestSessionMustBeText(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	server := httptest.NewServer(rest.Handler(h.Product.Catalogue))
	t.Cleanup(server.Close)
	for _, wrong := range []string{`{}`, `{"name":"a"}`, `[]`, `["a"]`} {
		for _, name := range []string{"status", "list_devices", "tap_element"} {
			e := h.Call("a", name, in{"session": unquoted(wrong)})
			if e.Error == nil || e.Error.Code != fault.InvalidInput || e.Error.Details["field"] != "session" {
				t.Errorf("%s: got %s, want that the session is refused", name, e.Text())
			}
		}
		answer, err := http.Post(server.URL+"/api/v1/ui/tap", "application/json", strings.NewReader(`{"session":`+wrong+`,"label":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "session must be a string") {
			t.Errorf("a route: got status %d and %s for the session %s, want that it is refused", answer.StatusCode, text, wrong)
		}
	}
}
