package proxy_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/network/rules"
	"ios-agent/test/freeport"
)

// notes are the files in which the settings of a proxy stand.
func (d *desk) notes() (names []string) {
	d.t.Helper()
	found, err := filepath.Glob(filepath.Join(d.dir, "running*.json"))
	d.must(err)
	for _, path := range found {
		names = append(names, filepath.Base(path))
	}
	return names
}

// again is the next daemon.
func (d *desk) again() proxy.Status {
	d.t.Helper()
	d.must(d.Close())
	d.open()
	if d.Resume() {
		d.must(d.Set(d.t.Context(), func(*proxy.Settings) error { return nil })) // it runs then
	}
	return d.Status()
}

// TestNewSettingsAreHiddenFromOlderReleases: the program of an earlier release drops what it does not know when it reads the settings
// of a proxy, and when it writes them. What the first release knows, stands where that looks for it; anything else does not.
func TestNewSettingsAreHiddenFromOlderReleases(t *testing.T) {
	first, later := []string{"running.json"}, []string{"running-2.json"}
	ann := rules.Share{Owner: "ann", Bypass: []string{"pinned.example.com"}, Only: "127.0.0.1",
		Hold: &rules.Intercept{Pattern: "~u /held", Request: true, Response: true}}
	known := []mock.Rule{
		{ID: mock.NewID(), Pattern: "~u /a", Times: 2, Owner: "ann", Response: mock.Response{
			Status: 201, Delay: time.Second, JSON: []byte(`{"archive":"of the body"}`)}},
		{ID: mock.NewID(), Pattern: "~u /b", Owner: "bob", Response: mock.Response{Bytes: []byte{1}}},
	}
	from := func(s mock.Source) []mock.Rule {
		return append(slices.Clone(known), mock.Rule{ID: mock.NewID(), Pattern: "~u /c", Response: mock.Response{Source: s}})
	}
	slow := []rules.Throttle{{Name: "3g", Latency: time.Millisecond}}
	for name, c := range map[string]struct {
		change func(*proxy.Settings)
		want   []string
	}{
		"what the first release knows": {func(*proxy.Settings) {}, first},
		"a throttle":                   {func(s *proxy.Settings) { s.Throttles = slow }, later},
		"a throttle of another session": {func(s *proxy.Settings) {
			s.More = []rules.Share{{Owner: "bob", Throttles: slow}}
		}, later},
		"a map to a server":         {func(s *proxy.Settings) { s.Mocks = from(mock.Source{Remote: "https://staging.example.com"}) }, later},
		"a map to a folder":         {func(s *proxy.Settings) { s.Mocks = from(mock.Source{Tree: t.TempDir()}) }, later},
		"hosts that are not judged": {func(s *proxy.Settings) { s.Insecure = []string{"self-signed.example"} }, later},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.start(proxy.Settings{Port: freeport.Of(t), Mocks: known, Share: ann, More: []rules.Share{{Owner: "bob", Only: "b.example"}}})
			if got := d.notes(); !slices.Equal(got, first) {
				t.Errorf("after the start: got %q, want %q", got, first)
			}
			d.must(d.Set(t.Context(), func(s *proxy.Settings) error { c.change(s); return nil }))
			if got := d.notes(); !slices.Equal(got, c.want) {
				t.Errorf("with it: got %q, want %q", got, c.want)
			}
			before := d.Status().Settings
			after := d.again()
			if got, want := asJSON(t, after.Settings), asJSON(t, before); after.State != proxy.Running || got != want {
				t.Errorf("after a restart: got %s, %s, want %s", after.State, got, want)
			}
			d.must(d.Set(t.Context(), func(s *proxy.Settings) error {
				s.Throttles, s.More, s.Mocks, s.Insecure = nil, nil, known, nil
				return nil
			}))
			if got := d.notes(); !slices.Equal(got, first) {
				t.Errorf("without it again: got %q, want %q", got, first)
			}
			d.must(d.Set(t.Context(), func(s *proxy.Settings) error {
				c.change(s)
				s.More = nil // what is bob's is in the way of a stop
				s.Mocks = slices.DeleteFunc(slices.Clone(s.Mocks), func(m mock.Rule) bool { return m.Owner == "bob" })
				return nil
			}))
			d.must(d.Stop(t.Context(), "ann"))
			if got := d.notes(); len(got) > 0 {
				t.Errorf("after the stop: got %q, want none", got)
			}
		})
	}
}

// TestNewestSettingsFileIsUsed: an earlier release that ran in between did not see the settings, and may have started a proxy of its own.
func TestNewestSettingsFileIsUsed(t *testing.T) {
	d := newDesk(t)
	d.start(proxy.Settings{Port: freeport.Of(t), Share: rules.Share{Throttles: []rules.Throttle{{Name: "3g"}}}})
	d.must(d.Close())
	earlier, ours := filepath.Join(d.dir, "running.json"), filepath.Join(d.dir, "running-2.json")
	d.must(os.WriteFile(earlier, []byte(`{"port":1,"listen_host":"127.0.0.1","started":"2026-01-02T15:04:05Z"}`), 0o600))
	d.must(os.Chtimes(earlier, time.Time{}, time.Now().Add(-time.Hour)))
	d.open()
	if got := d.again(); len(got.Throttles) != 1 {
		t.Errorf("got %+v, want the settings that were noted last", got.Settings)
	}
	if got, want := d.notes(), []string{"running-2.json"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	d.must(d.Close())
	d.must(os.WriteFile(earlier, []byte(`{"port":0,"listen_host":"127.0.0.1","host":"b.example","started":"2026-01-02T15:04:05Z"}`), 0o600))
	d.must(os.Chtimes(ours, time.Time{}, time.Now().Add(-time.Hour)))
	d.open()
	if got := d.again(); got.Only != "b.example" || len(got.Throttles) != 0 {
		t.Errorf("got %+v, want the proxy of the earlier release, which was started last", got.Settings)
	}
	if got, want := d.notes(), []string{"running.json"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestResumeKeepsSettingsOfNewerRelease: what this program does not know would be lost. It says so, and another start replaces them.
func TestResumeKeepsSettingsOfNewerRelease(t *testing.T) {
	note := `{"port":9101,"listen_host":"127.0.0.1","started":"2026-01-02T15:04:05Z","mocks":[{"id":"mock_01234567","pattern":"~all",` +
		`"response":{"status":200,"from_the_future":true}}]}`
	for _, name := range []string{"running.json", "running-2.json"} {
		d := newDesk(t)
		path := filepath.Join(d.dir, name)
		d.must(os.MkdirAll(d.dir, 0o700))
		d.must(os.WriteFile(path, []byte(note), 0o600))
		got := d.again()
		if got.State != proxy.Broken || !strings.Contains(got.Error, "newer ios-agent") || !strings.Contains(got.Error, "from_the_future") {
			t.Errorf("%s: got %s, %q, want that a newer ios-agent wrote it, and what is not known", name, got.State, got.Error)
		}
		if raw, err := os.ReadFile(path); err != nil || string(raw) != note {
			t.Errorf("%s: got %s, %v, want it as it was", name, raw, err)
		}
		if got := d.again(); got.State != proxy.Broken {
			t.Errorf("%s: after another restart got %s, want it said again", name, got.State)
		}
		if got := d.start(proxy.Settings{Port: freeport.Of(t)}); got.State != proxy.Running || got.Error != "" {
			t.Errorf("%s: got %s, %q, want another proxy", name, got.State, got.Error)
		}
		if got, want := d.notes(), []string{"running.json"}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
