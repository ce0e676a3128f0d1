package session_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/config"
	"ios-agent/internal/device/session"
)

func TestForDirNamesSessionByProject(t *testing.T) {
	project := filepath.Join(t.TempDir(), "My Shop")
	deep := filepath.Join(project, "Sources", "App")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if session.ForDir(deep) == session.ForDir(project) {
		t.Error("without git, folders are sessions of their own")
	}
	if err := os.WriteFile(filepath.Join(project, ".git"), nil, 0o644); err != nil { // a worktree's is a file
		t.Fatal(err)
	}
	if session.ForDir(deep) != session.ForDir(project) {
		t.Error("one git work tree is one session")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(project, link); err != nil {
		t.Fatal(err)
	}
	if session.ForDir(link) != session.ForDir(project) {
		t.Error("a link to a project is the project")
	}
	if name := session.ForDir(project); !strings.HasPrefix(name, "MyShop-") {
		t.Errorf("nobody recognises %q", name)
	}
}

// TestConcurrentCallersShareProjectDefaults: callers that come together share the defaults of a project, and no others do.
func TestConcurrentCallersShareProjectDefaults(t *testing.T) {
	var s session.Session
	dir := t.TempDir()
	got := make([]*config.Store, 20)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = s.Defaults(dir, nil) })
	}
	wg.Wait()
	if _, err := got[0].Set(config.Change{Values: map[string]any{"scheme": "Shop"}}); err != nil {
		t.Fatal(err)
	}
	scheme := func(store *config.Store) any {
		v := store.Show()
		return v.Profiles[v.Active].Values["scheme"]
	}
	for i, store := range got {
		if scheme(store) != "Shop" {
			t.Errorf("caller %d has the scheme %v", i, scheme(store))
		}
	}
	if other := scheme(s.Defaults(t.TempDir(), nil)); other != nil {
		t.Errorf("another project has the scheme %v", other)
	}
}

// TestEachClientHasItsOwnEnvironment: two clients of one session differ in their variables. Each sees its own values, and
// none of them stays behind.
func TestEachClientHasItsOwnEnvironment(t *testing.T) {
	var sessions session.Store
	dir := t.TempDir()
	clients := []map[string]string{
		{"IOS_AGENT_SCHEME": "A", "XCODEBUILDMCP_CONFIGURATION": "Debug"},
		{"XCODEBUILDMCP_SCHEME": "B"},
		nil,
		{"IOS_AGENT_SCHEME": "C", "IOS_AGENT_USE_LATEST_OS": "perhaps"},
	}
	want := []map[string]config.Value{
		{"scheme": ofEnv("A", "IOS_AGENT_SCHEME"), "configuration": ofEnv("Debug", "XCODEBUILDMCP_CONFIGURATION")},
		{"scheme": ofEnv("B", "XCODEBUILDMCP_SCHEME")},
		{},
		{"scheme": ofEnv("C", "IOS_AGENT_SCHEME")},
	}
	spec := config.Spec{Keys: []string{"scheme", "configuration"}}
	var stores []*config.Store // all of them open while the others call
	for _, env := range clients {
		stores = append(stores, sessions.Get("s").Defaults(dir, env))
	}
	for round := range 2 {
		for i, store := range stores {
			merged, err := store.Merge(spec, nil)
			if err != nil || !reflect.DeepEqual(merged.Values, want[i]) {
				t.Errorf("round %d, client %d: %v %v, want %v", round, i, merged.Values, err, want[i])
			}
			if shown := store.Show().Profiles[config.Global].Sources; len(shown) != len(want[i]) {
				t.Errorf("round %d, client %d is shown %v", round, i, shown)
			}
			if said := len(store.Warnings()) > 0; said != (i == 3) {
				t.Errorf("round %d, client %d is warned: %v", round, i, store.Warnings())
			}
		}
	}
	// What the session itself says is everybody's, and above every environment.
	if _, err := stores[0].Set(config.Change{Values: map[string]any{"scheme": "S"}}); err != nil {
		t.Fatal(err)
	}
	for i, store := range stores {
		merged, err := store.Merge(spec, nil)
		if err != nil || merged.Values["scheme"].Value != "S" || merged.Values["scheme"].Source != config.FromSession {
			t.Errorf("client %d: %v %v", i, merged.Values, err)
		}
	}
	if got := stores[1].Show().Profiles[config.Global].Values["configuration"]; got != nil {
		t.Errorf("the first client's configuration was stored: %v", got)
	}
}

func ofEnv(value, variable string) config.Value {
	return config.Value{Value: value, Origin: config.Origin{Source: config.FromEnv, From: variable}}
}
