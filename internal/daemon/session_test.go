package daemon_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/config"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/catalogue"
	"ios-agent/test/surfacetest"
)

// project is a daemon with the product's catalogue, of which only the session's defaults work, and a client in a folder.
type project struct {
	*house
	dir string
}

func newProject(t *testing.T) *project {
	t.Helper()
	w := surfacetest.New(op.JobAfter)
	w.Catalogue = op.NewCatalogue(catalogue.All(catalogue.Services{Sessions: &session.Store{}}), op.Options{Jobs: w.Jobs})
	p := &project{open(t, w), t.TempDir()}
	if err := os.Mkdir(filepath.Join(p.dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.client.Dir, p.client.Toolchain = p.dir, ""
	return p
}

// call runs an operation and gives the defaults it answers with.
func (p *project) call(name, input string) (v config.View, e op.Envelope) {
	p.t.Helper()
	e = p.client.Call(p.t.Context(), name, []byte(input), nil)
	if e.Error == nil {
		if err := json.Unmarshal(e.Result, &v); err != nil {
			p.t.Fatal(err)
		}
	}
	return v, e
}

// want compares a key of a profile with a value and its source, such as "Shop session"; "" is no value.
func want(t *testing.T, v config.View, profile, key, value string) {
	t.Helper()
	p := v.Profiles[profile]
	got, _ := p.Values[key].(string)
	if said := strings.TrimSpace(got + " " + string(p.Sources[key].Source)); said != value {
		t.Errorf("%s of %s is %q, want %q", key, profile, said, value)
	}
}

// TestDefaultsBelongToASession: every value says where it comes from; of a pair, setting one side clears the other.
func TestDefaultsBelongToASession(t *testing.T) {
	p := newProject(t)
	_, e := p.call("session_set_defaults", `{"scheme":"Shop","simulatorName":"iPhone 16"}`)
	if !strings.Contains(e.Stdout, "scheme: Shop (session") {
		t.Errorf("%+v", e)
	}
	v, _ := p.call("session_show_defaults", "")
	want(t, v, config.Global, "scheme", "Shop session")
	want(t, v, config.Global, "bundleId", "")
	if _, e := p.call("session_show_defaults", `{"session":"other"}`); !strings.Contains(e.Stdout, "no values set") {
		t.Errorf("another session: %s", e.Stdout)
	}
	if _, e := p.call("session_set_defaults", `{"simulatorId":"A","simulatorName":"B"}`); e.Error == nil ||
		!strings.Contains(e.Error.Message, "exclude each other") {
		t.Errorf("both of a pair: %+v", e.Error)
	}
	v, _ = p.call("session_set_defaults", `{"simulatorId":"AAAA"}`)
	want(t, v, config.Global, "simulatorId", "AAAA session")
	want(t, v, config.Global, "simulatorName", "")
	// Either case of a key, and relative paths from where the client is.
	p.client.Dir = filepath.Join(p.dir, "sub")
	v, _ = p.call("session_set_defaults", `{"project_path":"../Shop.xcodeproj"}`)
	want(t, v, config.Global, "projectPath", filepath.Join(p.dir, "Shop.xcodeproj")+" session")
}

// TestSessionDefaultsPrecedeFileAndVariables: the project's file is below the session, and the client's variables are below it.
func TestSessionDefaultsPrecedeFileAndVariables(t *testing.T) {
	p := newProject(t)
	p.call("session_set_defaults", `{"profile":"ci","createIfNotExists":true,"scheme":"ShopTests","persist":true}`)
	if raw, err := os.ReadFile(config.ConfigPath(p.dir)); err != nil || !strings.Contains(string(raw), "ShopTests") {
		t.Errorf("%s %v", raw, err)
	}
	if v, _ := p.call("session_use_defaults_profile", `{"global":true}`); v.Active != config.Global {
		t.Errorf("active is %s", v.Active)
	}
	if _, e := p.call("session_use_defaults_profile", `{"profile":"nope"}`); e.Error == nil || e.Error.Code != fault.InvalidInput ||
		!strings.Contains(e.Error.Hint, "session_set_defaults") {
		t.Errorf("%+v", e.Error)
	}
	// Two clients of one session, each with variables of its own.
	p.client.Session = "fresh"
	for _, value := range []string{"Release", "Debug", ""} {
		t.Setenv("IOS_AGENT_CONFIGURATION", value)
		said := ""
		if value != "" {
			said = value + " env"
		}
		v, _ := p.call("session_show_defaults", "")
		want(t, v, config.Global, "configuration", said)
		want(t, v, "ci", "scheme", "ShopTests config")
	}
	t.Setenv("IOS_AGENT_CONFIGURATION", "Release")
	p.call("session_clear_defaults", `{"all":true}`)
	v, _ := p.call("session_show_defaults", "")
	want(t, v, config.Global, "configuration", "")
	want(t, v, "ci", "scheme", "")
}
