package house_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"ios-agent/test/house"
)

// TestInvalidSessionNamesAreRefused: other clients see a session's name in lists, logs and terminals, and the daemon remembers it. It must
// be printable and short, wherever it comes from.
func TestInvalidSessionNamesAreRefused(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	for _, c := range []struct{ name, session, code string }{
		{"escape", "a\x1b[2Jb", "INVALID_INPUT"},
		{"newline", "a\nb", "INVALID_INPUT"},
		{"C1 control", "a\u009bb", "INVALID_INPUT"},
		{"turned text", "a\u202eb", "INVALID_INPUT"},
		{"line separator", "a\u2028b", "INVALID_INPUT"},
		{"a megabyte", strings.Repeat("a", 1<<20), "INVALID_INPUT"},
		{"201 characters", strings.Repeat("é", 201), "INVALID_INPUT"},
		{"200 characters", strings.Repeat("é", 200), ""},
		{"words", "Ada's phone – 手机", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			input := map[string]any{"session": c.session}
			own := h.Call(c.session, "list_device_pool", nil)
			argument := h.Call(intruder, "list_device_pool", input)
			got := map[string]string{
				"own": codeIn(encoded(t, own)), "argument": codeIn(encoded(t, argument)),
				"header": codeOf(h.REST(c.session, http.MethodGet, "/api/v1/devices/pool", nil)),
				"body":   codeOf(h.REST(intruder, http.MethodPost, "/api/v1/devices/claim", input)),
				"cli":    codeIn([]byte(h.CLI(intruder, "pool", "list", "--json", "--session", c.session).Stdout)),
				"mcp":    toolCode(t, h, c.session, nil), "mcp argument": toolCode(t, h, intruder, input),
				"holder": codeIn(encoded(t, h.Call(intruder, "claim_device", map[string]any{"session_id": c.session}))),
			}
			if got["body"] == "TOO_LARGE" {
				got["body"] = "INVALID_INPUT" // REST refuses bodies of a megabyte before anybody reads them
			}
			for surface, code := range got {
				if claims := surface == "body" || surface == "holder"; code != c.code && (c.code != "" || !claims) {
					t.Errorf("%s: %q", surface, code)
				}
			}
			if c.code != "" && own.Error != nil && (own.Meta.Session != "" || len(own.Error.Message) > 300 || own.Error.Hint == "") {
				t.Errorf("%.300s", own.Text())
			}
		})
	}
	listed := h.CLI(intruder, "pool", "list", "--json")
	if strings.Contains(listed.Stdout, "\\u001b") || strings.Contains(listed.Stdout, "a\\nb") {
		t.Errorf("%s", listed.Stdout)
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func toolCode(t *testing.T, h *house.House, session string, input any) string {
	t.Helper()
	r, err := h.Tool(session, "list_device_pool", input)
	if err != nil {
		t.Fatal(err)
	}
	return codeIn(encoded(t, r.StructuredContent))
}
