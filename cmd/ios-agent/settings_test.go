package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

func TestSettingsAreReadFromVariables(t *testing.T) {
	read := func(pairs ...string) (settings, error) {
		env := map[string]string{}
		for _, pair := range pairs {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		return readSettings(func(name string) string { return env[name] })
	}
	unset := settings{idleExit: idleExit, jobAfter: op.JobAfter, implicit: implicitLease, prewarm: true}
	if s, err := read(); err != nil || s != unset {
		t.Errorf("nothing set: %+v %v", s, err)
	}
	s, err := read("IOS_AGENT_IDLE_EXIT=300ms", "IOS_AGENT_JOB_AFTER=0s", "IOS_AGENT_AGENT_WAIT=3m", "IOS_AGENT_IMPLICIT_LEASE=0",
		"IOS_AGENT_AGENT_PORT=43000", "IOS_AGENT_PREWARM=off", "IOS_AGENT_PUBLIC_API_ONLY=1",
		"IOS_AGENT_PASS_ENV=A,B_*", "IOS_AGENT_MACROS=trust", "IOS_AGENT_TEAM=A1B2C3D4E5", "IOS_AGENT_WDA_PRODUCTS=/w")
	want := settings{300 * time.Millisecond, 0, 3 * time.Minute, 0, 43000, false, true, true, "A,B_*", "A1B2C3D4E5", "/w"}
	if err != nil || s != want {
		t.Errorf("all set: %+v %v", s, err)
	}
	for _, wrong := range []string{
		"IOS_AGENT_IDLE_EXIT=soon", "IOS_AGENT_JOB_AFTER=45", "IOS_AGENT_AGENT_WAIT=-1s", "IOS_AGENT_IMPLICIT_LEASE=5 minutes",
		"IOS_AGENT_AGENT_PORT=many", "IOS_AGENT_AGENT_PORT=-1", "IOS_AGENT_AGENT_PORT=70000", "IOS_AGENT_PREWARM=offf",
		"IOS_AGENT_PUBLIC_API_ONLY=yes", "IOS_AGENT_PASS_ENV=*", "IOS_AGENT_MACROS=yes", "IOS_AGENT_PASS_ENV=A=1",
	} {
		_, err := read(wrong)
		name, value, _ := strings.Cut(wrong, "=")
		if f := fault.From(err); !fault.Is(err, fault.InvalidInput) || !strings.Contains(f.Message, name+` is "`+value) ||
			!strings.Contains(f.Hint, name+"=") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// TestInvalidVariableValueIsReported: the client says it, and starts no daemon.
func TestInvalidVariableValueIsReported(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	t.Setenv("IOS_AGENT_HOME", home)
	t.Setenv("IOS_AGENT_TOOLCHAIN", "virtual")
	t.Setenv("IOS_AGENT_JOB_AFTER", "soon")
	for _, args := range [][]string{{"list-sims", "--json"}, {"daemon", "run", "--json"}, {"mcp", "--json"}} {
		p := command()
		var out bytes.Buffer
		p.app.Out, p.app.In = &out, strings.NewReader("")
		code := p.run(t.Context(), args)
		var e op.Envelope
		if err := json.Unmarshal(out.Bytes(), &e); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out.Bytes())
		}
		if code != fault.ExitUsage || e.Error.Code != fault.InvalidInput || !strings.Contains(e.Error.Hint, "IOS_AGENT_JOB_AFTER=90s") {
			t.Errorf("%v: exit %d, %+v", args, code, e.Error)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "run")); err == nil {
		t.Error("a daemon was started")
	}
}
