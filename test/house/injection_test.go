package house_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"ios-agent/internal/op"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestInjectedTextIsNotExecuted puts texts into every parameter, on every surface, that are more than texts to a shell, a tool's argument
// parser, a path, a terminal, a format, a query or a property list. No call may fail as INTERNAL or hang, none may make the file, and none
// sends control characters to a terminal or a header to a client.
func TestInjectedTextIsNotExecuted(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("a", drivertest.Conformance)
	files := h.Files()
	mark := filepath.Join(t.TempDir(), "made")
	texts := []string{
		"$(touch " + mark + ")", "`touch " + mark + "`", "'; touch " + mark + "; '", "-x", "--help", "../../../../etc/passwd", "a\x1b[2J\x07b",
		"%s%n%d", "' OR 1=1 --", "<plist><dict/></plist>", "a\u0000b", "\u202eabc", "a\r\nX-Injected: 1", "{{.}}", "${HOME}", "*", "\\",
	}
	surfaces := []injection{injectLocal, injectREST, injectMCP, injectCLI}
	each := 2 // calls for a parameter; the surfaces take turns
	if full() {
		each = len(surfaces)
	}
	n, sent := 0, make([]int, len(surfaces))
	for i, o := range h.Product.Catalogue.Ops() {
		if o.Streams() || !sampled(i, 5) {
			continue
		}
		id := h.Product.Catalogue.ID(o)
		for _, f := range o.Fields() {
			// TestInvalidSessionNamesAreRefused has these
			if f.Kind != op.String && f.Kind != op.Strings && f.Kind != op.File || f.Name == "session" {
				continue
			}
			for range each {
				n++
				input := files.Example(o, id)
				input[f.Name] = texts[n%len(texts)]
				if f.Kind == op.Strings {
					input[f.Name] = []string{texts[n%len(texts)]}
				}
				if surfaces[n%len(surfaces)](t, h, o, input) {
					sent[n%len(surfaces)]++
				}
			}
		}
	}
	t.Logf("%d calls: %v", n, sent)
	if slices.Min(sent) < n/len(surfaces)/2 {
		t.Errorf("a surface was hardly tried: %v", sent)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a text was run")
	}
	h.Must("a", "snapshot", map[string]any{"udid": udid})
}

// injection calls an operation on one surface. It is false where the surface does not have it.
type injection func(t *testing.T, h *house.House, o op.Op, input map[string]any) bool

// answered wants an answer that is in time, no bug of ours, and harmless to a terminal.
func answered(t *testing.T, what string, input any, answer string, took time.Duration) {
	t.Helper()
	switch {
	case took >= answerTime:
		t.Errorf("%s %v: no answer", what, input)
	case strings.Contains(answer, "INTERNAL"):
		t.Errorf("%s %v: %s", what, input, answer)
	case strings.ContainsFunc(answer, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }):
		t.Errorf("%s %v: control characters: %q", what, input, answer)
	}
}

func injectLocal(t *testing.T, h *house.House, o op.Op, input map[string]any) bool {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), answerTime)
	defer cancel()
	start := time.Now()
	id := h.Product.Catalogue.ID(o)
	e := op.Local{Catalogue: h.Product.Catalogue, Session: "i", Dir: h.Home.String()}.Call(ctx, id, raw, nil)
	answered(t, id, input, e.Text(), time.Since(start))
	return true
}

func injectREST(t *testing.T, h *house.House, o op.Op, input map[string]any) bool {
	t.Helper()
	if o.Route == "" {
		return false
	}
	path, query := o.Path(), url.Values{}
	for name, v := range input {
		if in := "{" + name + "}"; strings.Contains(path, in) {
			path = strings.ReplaceAll(path, in, url.PathEscape(fmt.Sprint(v)))
		}
		for _, one := range listed(v) {
			query.Add(name, one)
		}
	}
	var body any = input
	if o.Method() == http.MethodGet {
		path, body = concrete(path)+"?"+query.Encode(), nil
	}
	start := time.Now()
	w := h.REST("i", o.Method(), concrete(path), body)
	answered(t, o.Route, input, w.Body.String(), time.Since(start))
	// Quern's clients know 500 for what a device could not do, as a text without focus; what is a bug of ours says INTERNAL.
	failed := w.Code == http.StatusInternalServerError && o.Statuses == nil
	if w.Header().Get("X-Injected") != "" || failed {
		t.Errorf("%s %v: %d %v %s", o.Route, input, w.Code, w.Header(), w.Body)
	}
	return true
}

func injectMCP(t *testing.T, h *house.House, o op.Op, input map[string]any) bool {
	t.Helper()
	name := toolName(h, o)
	if name == "" {
		return false
	}
	start := time.Now()
	r, err := h.Tool("i", name, input)
	if err != nil {
		t.Errorf("%s %v: %v", name, input, err)
		return true
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	answered(t, name, input, string(raw), time.Since(start))
	return true
}

// injectCLI gives each input as its flag, so that the texts meet the parser of the command line.
func injectCLI(t *testing.T, h *house.House, o op.Op, input map[string]any) bool {
	t.Helper()
	args := []string{"call", h.Product.Catalogue.ID(o), string(jsonOf(t, input))}
	if o.Verb != "" {
		args = strings.Fields(o.Verb)
		for _, f := range o.Fields() {
			if v, given := input[f.Name]; given && !f.NoFlag {
				for _, one := range listed(v) {
					args = append(args, "--"+f.Flag()+"="+one)
				}
			}
		}
	}
	start := time.Now()
	ran := h.CLI("i", args...)
	answered(t, strings.Join(args, " "), "", ran.Stdout+ran.Stderr, time.Since(start))
	if ran.Exit == 70 {
		t.Errorf("%q: %+v", args, ran)
	}
	return true
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// listed is a value as the texts that a query or a command line has for it.
func listed(v any) []string {
	switch v := v.(type) {
	case []string:
		return v
	case []int:
		return strings.Fields(strings.Trim(fmt.Sprint(v), "[]"))
	case []map[string]any:
		var all []string
		for _, one := range v {
			raw, _ := json.Marshal(one) // of the example: it can be written
			all = append(all, string(raw))
		}
		return all
	}
	return []string{fmt.Sprint(v)}
}
