package crashes_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/crashes"
)

// hooked is a stand with a hook that runs real programs.
func hooked(t *testing.T) (*stand, string) {
	t.Helper()
	dir := t.TempDir()
	runner, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	return newStand(t, func(o *crashes.Options) {
		o.Hook = &crashes.Hook{File: filepath.Join(dir, "crash-hook.json"), Dir: dir, Run: runner}
	}), dir
}

func (s *stand) script(dir, text string) string {
	s.t.Helper()
	path := filepath.Join(dir, "on crash") // a name that a shell would split
	s.must(os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700))
	return path
}

func TestHookReceivesReport(t *testing.T) {
	s, dir := hooked(t)
	s.must(s.hook.Set([]string{s.script(dir, `printf '%s|' "$#" "$@" > args; cat > report.json`), "$(id)", "a b"}))
	if info, err := os.Stat(s.hook.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	s.write(s.reports, "a.ips", ips("1", "Cart.total()"), 0)
	s.write(s.reports, "old.ips", ips("2", "Cart.old()"), day)
	s.found(crashes.Query{})
	s.hook.Wait()
	args, err := os.ReadFile(filepath.Join(dir, "args"))
	if err != nil || string(args) != "2|$(id)|a b|" {
		t.Errorf("%q %v", args, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	var c crashes.Crash
	if err != nil || json.Unmarshal(text, &c) != nil || c.Frames[0].Symbol != "Cart.total()" || strings.Contains(string(text), "hunter2") {
		t.Errorf("%s %v", text, err)
	}
	s.must(s.hook.Remove())
	s.must(s.hook.Remove())
	if argv, err := s.hook.Argv(); len(argv) != 0 || err != nil {
		t.Error(argv, err)
	}
}

// TestFailingHookIsLogged is told in the log, and the watcher goes on.
func TestFailingHookIsLogged(t *testing.T) {
	s, dir := hooked(t)
	s.must(s.hook.Set([]string{s.script(dir, `echo "no such thing" >&2; exit 3`)}))
	for i, name := range []string{"a.ips", "b.ips"} {
		s.write(s.reports, name, ips(name, "f()"), 0)
		if n := len(s.found(crashes.Query{})); n != i+1 {
			t.Errorf("%d reports", n)
		}
		s.hook.Wait()
	}
	s.must(s.store.Flush(t.Context()))
	page, err := s.store.Query(t.Context(), telemetry.Query{Search: "the crash hook failed"})
	s.must(err)
	if len(page.Entries) == 0 || !strings.Contains(page.Entries[0].Message, "exit code 3: no such thing") ||
		page.Entries[0].Level != telemetry.Warning {
		t.Errorf("%+v", page.Entries)
	}
}

func TestInvalidHookIsRefused(t *testing.T) {
	s, dir := hooked(t)
	for name, argv := range map[fault.Code][]string{
		fault.InvalidInput: {}, fault.ToolMissing: {filepath.Join(dir, "nothing")}, fault.TooLarge: {"/bin/sh", strings.Repeat("x", 5000)},
	} {
		if err := s.hook.Set(argv); !fault.Is(err, name) {
			t.Errorf("%q: %v", argv, err)
		}
	}
	if _, err := os.Stat(s.hook.File); err == nil {
		t.Error("a refused hook was kept")
	}
	s.must(os.WriteFile(s.hook.File, []byte("{"), 0o600))
	if _, err := s.hook.Argv(); !fault.Is(err, fault.PathError) {
		t.Error(err)
	}
	s.write(s.reports, "a.ips", ips("1", "f()"), 0)
	if n := len(s.found(crashes.Query{})); n != 1 {
		t.Errorf("a hook that cannot be read stops the watcher: %d", n)
	}
}
