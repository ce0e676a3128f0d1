package house_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"ios-agent/internal/driver/drivertest"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/test/house"
)

// TestInjection puts texts into every parameter that are more than texts to a shell, a tool's argument parser, a path, a terminal, a
// format, a query or a property list. No call may fail as INTERNAL or hang, none may make the file, and none sends control characters
// to a terminal.
func TestInjection(t *testing.T) {
	h := house.New(t)
	udid := h.Boot("a", drivertest.Conformance)
	files := h.Files()
	mark := filepath.Join(t.TempDir(), "made")
	texts := []string{
		"$(touch " + mark + ")", "`touch " + mark + "`", "'; touch " + mark + "; '", "-x", "--help", "../../../../etc/passwd", "a\x1b[2J\x07b",
		"%s%n%d", "' OR 1=1 --", "<plist><dict/></plist>", "a\u0000b", "\u202eabc", "a\r\nX-Injected: 1", "{{.}}", "${HOME}", "*", "\\",
	}
	n := 0
	for i, o := range h.Product.Catalogue.Ops() {
		if o.Streams() || testing.Short() && i%5 != 0 {
			continue
		}
		id := h.Product.Catalogue.ID(o)
		for _, f := range o.Fields() {
			if f.Kind != op.String && f.Kind != op.Strings || len(f.Enum) > 0 || f.Name == "udid" || f.Name == "session" {
				continue
			}
			for range 3 {
				n++
				input := files.Example(o, id)
				input[f.Name] = texts[n%len(texts)]
				if f.Kind == op.Strings {
					input[f.Name] = []string{texts[n%len(texts)]}
				}
				input["session"] = "i"
				inject(t, h, o, input)
			}
		}
	}
	t.Logf("%d calls", n)
	if _, err := os.Stat(mark); err == nil {
		t.Error("a text was run")
	}
	h.Must("a", "snapshot", map[string]any{"udid": udid})
}

func inject(t *testing.T, h *house.House, o op.Op, input map[string]any) {
	t.Helper()
	id := h.Product.Catalogue.ID(o)
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), answerTime)
	defer cancel()
	start := time.Now()
	e := op.Local{Catalogue: h.Product.Catalogue, Session: "i", Dir: h.Home.String()}.Call(ctx, id, raw, nil)
	switch {
	case time.Since(start) >= answerTime:
		t.Errorf("%s %s: no answer", id, raw)
	case e.Error != nil && e.Error.Code == fault.Internal:
		t.Errorf("%s %s: %s", id, raw, e.Text())
	case strings.ContainsFunc(e.Text(), func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }):
		t.Errorf("%s %s: control characters: %q", id, raw, e.Text())
	}
	if o.Method() == http.MethodPost && !strings.Contains(o.Path(), "{") && o.Hints.Has(op.ReadOnly) {
		if w := h.REST("i", o.Method(), o.Path(), raw); w.Header().Get("X-Injected") != "" || codeOf(w) == "INTERNAL" {
			t.Errorf("%s %s over REST: %d %s", id, raw, w.Code, w.Body)
		}
	}
}
