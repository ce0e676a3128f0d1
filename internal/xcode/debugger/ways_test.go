package debugger_test

import (
	"os"
	"path/filepath"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/xcode/debugger"
	"ios-agent/test/debuggee"
)

// TestPromptIsUsedWhenLLDBDAPFails: where there is no lldb-dap, and where it does not start. It is told why.
func TestPromptIsUsedWhenLLDBDAPFails(t *testing.T) {
	p := debuggee.Start(t)
	lldb := ""
	for _, name := range []string{"lldb", "lldb-22", "lldb-21", "lldb-20", "lldb-19", "lldb-18"} {
		if lldb == "" {
			lldb = host.Find(name)
		}
	}
	dir := t.TempDir()
	if err := os.Symlink(lldb, filepath.Join(dir, "lldb")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	s, _ := service(t, debugger.Options{})
	for _, c := range []struct{ dap, through string }{
		{"", "lldb's prompt: cannot find lldb-dap"},
		{"#!/bin/sh\necho broken >&2; exit 3\n", "lldb's prompt: lldb-dap has ended: "},
	} {
		if c.dap != "" {
			if err := os.WriteFile(filepath.Join(dir, "lldb-dap"), []byte(c.dap), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		d := attach(t, s, mine(p))
		mustContain(t, d.State().Through, c.through)
		s.Detach(t.Context(), d)
		p.MustCount()
	}
	_, err := s.Attach(t.Context(), by(mine(p), debugger.DAP)) // who asks for it gets it, or nothing
	mustBe(t, err, fault.ToolFailed, "broken")
	_, err = s.Attach(t.Context(), by(mine(p), "gdb"))
	mustBe(t, err, fault.InvalidInput, "lldb-cli")
	p.MustCount()
}
