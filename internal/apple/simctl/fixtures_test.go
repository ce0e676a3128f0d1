package simctl

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fixtures returns the real outputs of a kind; they are not part of the repository.
func fixtures(t *testing.T, pattern string) []string {
	t.Helper()
	dir := os.Getenv("IOS_AGENT_SAMPLES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "fixtures") // beside the top of the repository
	}
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skipf("no real samples %s in %s (IOS_AGENT_SAMPLES)", pattern, dir)
	}
	return paths
}

func readFixture(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// counts walks the JSON without knowing its shape. No sample repeats a key.
type counts struct{ udids, booted, runtimes, types, pairs []string }

func count(t *testing.T, b []byte) (c counts) {
	t.Helper()
	var top map[string]any
	if err := json.Unmarshal(b, &top); err != nil {
		t.Fatal(err)
	}
	list := func(v any) []any { l, _ := v.([]any); return l }
	object := func(v any) map[string]any { m, _ := v.(map[string]any); return m }
	text := func(v any) string { s, _ := v.(string); return s }
	for _, section := range object(top["devices"]) {
		for _, d := range list(section) {
			c.udids = append(c.udids, text(object(d)["udid"]))
			if object(d)["state"] == "Booted" {
				c.booted = append(c.booted, text(object(d)["udid"]))
			}
		}
	}
	for _, r := range list(top["runtimes"]) {
		c.runtimes = append(c.runtimes, text(object(r)["identifier"]))
	}
	for _, d := range list(top["devicetypes"]) {
		c.types = append(c.types, text(object(d)["identifier"]))
	}
	for id := range object(top["pairs"]) {
		c.pairs = append(c.pairs, id)
	}
	return c
}

func countList(l List) (c counts) {
	for _, d := range l.Devices {
		c.udids = append(c.udids, d.UDID)
		if d.State == StateBooted {
			c.booted = append(c.booted, d.UDID)
		}
	}
	for _, r := range l.Runtimes {
		c.runtimes = append(c.runtimes, r.ID)
	}
	for _, d := range l.DeviceTypes {
		c.types = append(c.types, d.ID)
	}
	for _, p := range l.Pairs {
		c.pairs = append(c.pairs, p.ID)
	}
	return c
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %d, want %d", what, len(got), len(want))
	}
}

func TestRecordedJSONListsAreUnderstood(t *testing.T) {
	for _, path := range fixtures(t, "simctl/*.json") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b := readFixture(t, path)
			l, err := ParseList(b)
			if err != nil {
				t.Fatal(err)
			}
			got, want := countList(l), count(t, b)
			same(t, "devices", got.udids, want.udids)
			same(t, "booted", got.booted, want.booted)
			same(t, "runtimes", got.runtimes, want.runtimes)
			same(t, "device types", got.types, want.types)
			same(t, "pairs", got.pairs, want.pairs)
			checkDevices(t, l)
			isList := bytes.Contains(b, []byte(`"devices"`)) || bytes.Contains(b, []byte(`"runtimes"`))
			if isList && len(l.Raw) > 0 || !isList && len(l.Raw) == 0 || len(l.Unparsed) > 0 {
				t.Errorf("not understood: %d sections, lines %q", len(l.Raw), l.Unparsed)
			}
		})
	}
}

// checkDevices looks for what a device of a real list always has.
func checkDevices(t *testing.T, l List) {
	t.Helper()
	for _, d := range l.Devices {
		if d.Name == "" || d.UDID == "" || d.State == "" {
			t.Errorf("incomplete: %+v", d)
		}
		if _, _, ok := SplitRuntimeID(d.Runtime); !ok {
			t.Errorf("runtime %q of %s in %q", d.Runtime, d.Name, d.Section)
		}
		if d.Available && d.AvailabilityError != "" || !d.Available && d.AvailabilityError == "" && d.Extra["isAvailable"] != nil {
			t.Errorf("availability %v, %q", d.Available, d.AvailabilityError)
		}
	}
	for _, r := range l.Runtimes {
		if r.Platform == "" || r.Version == "" || r.Build == "" || RuntimeName(r.ID) != r.Name {
			t.Errorf("runtime %+v", r)
		}
	}
}

var anyUUID = regexp.MustCompile(`[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}`)

func TestRecordedTextListsAreUnderstood(t *testing.T) {
	paths := append(fixtures(t, "simctl/list-*.txt"), fixtures(t, "simctl/runloop-*.txt")...)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b := readFixture(t, path)
			l, err := ParseListText(b)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "devices", countList(l).udids, anyUUID.FindAllString(string(b), -1))
			same(t, "booted", countList(l).booted, bootedIn(string(b)))
			unavailable := 0
			for _, d := range l.Devices {
				if !d.Available {
					unavailable++
				}
			}
			if want := strings.Count(string(b), "(unavailable, "); unavailable != want {
				t.Errorf("unavailable: got %d, want %d", unavailable, want)
			}
			if len(l.Devices) == 0 && len(l.Runtimes) != strings.Count(string(b), "SimRuntime.") {
				t.Errorf("runtimes %+v", l.Runtimes)
			}
			checkDevices(t, l)
			for _, line := range l.Unparsed {
				if !strings.Contains(line, "simctl[") {
					t.Errorf("not understood: %q", line)
				}
			}
		})
	}
}

func bootedIn(text string) (udids []string) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, "(Booted)") {
			udids = append(udids, anyUUID.FindString(line))
		}
	}
	return udids
}

func TestRecordedErrorsAreParsed(t *testing.T) {
	head := regexp.MustCompile(`\(domain=([^,]+), code=([0-9]+)\)`)
	for _, path := range fixtures(t, "tool-errors/*simctl*.txt") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b := readFixture(t, path)
			e := ParseError(b)
			first := head.FindStringSubmatch(string(b))
			if e == nil || e.Domain != first[1] || !e.Has(first[1], e.Code) {
				t.Fatalf("got %+v, want %q", e, first)
			}
			if strings.Contains(string(b), "Underlying error") != (e.Underlying != nil) {
				t.Errorf("underlying %+v", e.Underlying)
			}
			if strings.Contains(string(b), "current state: Booted") != (e.State() == StateBooted) {
				t.Errorf("state %q", e.State())
			}
		})
	}
}

func FuzzParseList(f *testing.F) {
	f.Add(sample(f, "shapes.json"))
	f.Add([]byte(`{"devices":{"a":[{"udid":null,"isAvailable":"YES"}]},"runtimes":[{"supportedDeviceTypes":[null]}],"pairs":{"x":null}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ParseList(b)
		if err == nil && l.Raw == nil {
			t.Fatal("no raw map")
		}
	})
}

func FuzzParseListText(f *testing.F) {
	f.Add(sample(f, "list.txt"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ParseListText(b)
		if err != nil {
			return
		}
		for _, d := range l.Devices {
			if !strings.Contains(string(b), d.UDID) {
				t.Fatalf("%q is nowhere in the text", d.UDID)
			}
		}
	})
}
