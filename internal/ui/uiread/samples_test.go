package uiread_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/uiread"
)

// samples are real outputs of other tools, by base name; they are not part of the repository.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	dir := os.Getenv("IOS_AGENT_SAMPLES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "fixtures") // beside the top of the repository
	}
	out := map[string][]byte{}
	for _, kind := range []string{"ui-describe", "wda-source"} {
		paths, err := filepath.Glob(filepath.Join(dir, kind, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(path)] = b
		}
	}
	if len(out) == 0 {
		t.Skipf("no real samples in %s (IOS_AGENT_SAMPLES)", dir)
	}
	return out
}

// noTree are the samples that hold no tree: an error message, and a listing of types.
var noTree = []string{"axe-error-unknown-option.stderr.txt", "axe-describe-ui-schema-xcode-26.5-17F42.json"}

// TestEverySampleIsReadWhole counts elements and collects texts without knowing the shapes, and finds all of them in
// what was read.
func TestEverySampleIsReadWhole(t *testing.T) {
	for name, b := range samples(t) {
		t.Run(name, func(t *testing.T) {
			tree, err := uiread.Read(b)
			if slices.Contains(noTree, name) {
				if f := fault.From(err); f.Code != fault.ParseFailed {
					t.Errorf("read as a tree: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			count, texts := inXML(b)
			if !strings.HasSuffix(name, ".xml") {
				count, texts = inJSON(b)
			}
			if got := tree.Nodes(); got != count {
				t.Errorf("%d elements, want %d", got, count)
			}
			s := tree.Screen()
			all, err := json.Marshal([]any{s.Snapshot("", &ui.Refs{}, time.Time{}), tree.Document})
			if err != nil {
				t.Fatal(err)
			}
			_, kept := inJSON(all)
			for text := range texts {
				if !kept[text] && !kept["XCUIElementType"+text] && !places.MatchString(text) {
					t.Errorf("%q is lost", text)
				}
			}
			if len(s.Nodes()) != count {
				t.Errorf("the screen has %d elements", len(s.Nodes()))
			}
		})
	}
}

// TestSampleLocatorsFindTheirElements: on recorded screens a locator finds the element that it was made for and no other, and has no value
// of a secure field.
func TestSampleLocatorsFindTheirElements(t *testing.T) {
	for name, b := range samples(t) {
		tree, err := uiread.Read(b)
		if err != nil {
			continue // TestEverySampleIsReadWhole says which must be read
		}
		s := tree.Screen()
		for _, n := range s.Nodes() {
			whole := s.Locate(n)
			for _, l := range []ui.Locator{whole, whole.Smallest()} {
				if found, _ := s.Resolve(l); len(found) != 1 || found[0] != n || l.Unique() != (l.Index == nil) {
					t.Errorf("%s: %s finds %v, want %s", name, l, found, n.Describe())
				}
			}
			if n.Secure && n.Value != "" && whole.Label == n.Value {
				t.Errorf("%s: the locator of %s has its value", name, n.Describe())
			}
		}
	}
}

// places are frames and truths: they are kept as numbers and states.
var places = regexp.MustCompile(`^(\{\{.*\}\}|-?[0-9.]+|true|false)$`)

// inJSON counts the objects that are elements by the look of them, and collects all strings that are values.
func inJSON(b []byte) (count int, texts map[string]bool) {
	texts = map[string]bool{}
	if bytes.HasPrefix(b, []byte(`"`)) {
		b = slices.Concat([]byte("{"), b, []byte("}"))
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			texts[v] = true
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, key := range []string{"AXLabel", "frame"} {
				if _, is := v[key]; is {
					count++
					break
				}
			}
			for _, item := range v {
				walk(item)
			}
		}
	}
	for d := json.NewDecoder(bytes.NewReader(b)); ; {
		var v any
		if d.Decode(&v) != nil {
			return count, texts
		}
		walk(v)
	}
}

func inXML(b []byte) (count int, texts map[string]bool) {
	texts = map[string]bool{}
	for d := xml.NewDecoder(bytes.NewReader(b)); ; {
		token, err := d.Token()
		if err != nil {
			return count, texts
		}
		if e, ok := token.(xml.StartElement); ok && strings.HasPrefix(e.Name.Local, "XCUI") {
			count++
			for _, a := range e.Attr {
				texts[a.Value] = true
			}
		}
	}
}

// TestEverySampleIsRefusedWhenCut cuts each sample somewhere inside: a part is never taken for the whole.
func TestEverySampleIsRefusedWhenCut(t *testing.T) {
	for name, b := range samples(t) {
		if slices.Contains(noTree, name) || strings.HasSuffix(name, ".txt") {
			continue
		}
		whole, err := uiread.Read(b)
		if err != nil {
			t.Fatal(name, err)
		}
		end := len(bytes.TrimSpace(b))
		for _, cut := range []int{end / 4, end / 2, end - 1} {
			tree, err := uiread.Read(b[:cut])
			if err == nil && tree.Nodes() <= whole.Nodes() && len(tree.Warnings) <= len(whole.Warnings) {
				t.Errorf("%s cut at %d of %d is read without a word", name, cut, end)
			}
			if err != nil && fault.From(err).Details["line"] == nil {
				t.Errorf("%s cut at %d: no place in %v", name, cut, err)
			}
		}
	}
}

// TestRenderingsOfSamplesReadBack: what a rendering promises is there when it is read again.
func TestRenderingsOfSamplesReadBack(t *testing.T) {
	all := samples(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		tree, err := uiread.Read(all[name])
		if err != nil {
			continue
		}
		s := tree.Screen()
		t.Run(name, func(t *testing.T) { readsBack(t, s) })
	}
}
