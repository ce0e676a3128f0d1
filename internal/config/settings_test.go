package config_test

import (
	"strings"
	"testing"

	"ios-agent/internal/config"
)

// TestFileSettingsPrecedeEnvironment: the file comes before the environment; what makes no sense is left out and told.
func TestFileSettingsPrecedeEnvironment(t *testing.T) {
	env := map[string]string{"XCODEBUILDMCP_DEBUGGER_BACKEND": "LLDB-CLI", "XCODEBUILDMCP_UI_DEBUGGER_GUARD_MODE": "warn"}
	for name, c := range map[string]struct {
		file           string
		env            map[string]string
		backend, guard string
		warning        string
	}{
		"nothing":             {},
		"the environment":     {env: env, backend: "lldb-cli", guard: "warn"},
		"the file first":      {file: "debuggerBackend: dap\nuiDebuggerGuardMode: off\n", env: env, backend: "dap", guard: "off"},
		"null is nothing":     {file: "debuggerBackend: null\n", env: env, backend: "lldb-cli", guard: "warn"},
		"a mistake in a file": {file: "debuggerBackend: gdb\n", warning: `debuggerBackend is one of dap, lldb-cli, lldb, not "gdb"`},
		"a list":              {file: "uiDebuggerGuardMode: [warn]\n", warning: "uiDebuggerGuardMode is one of error, warn, off"},
		"a mistake in a variable": {env: map[string]string{"XCODEBUILDMCP_DEBUGGER_BACKEND": "gdb"},
			warning: "XCODEBUILDMCP_DEBUGGER_BACKEND is ignored"},
	} {
		s, _ := open(t, c.file, c.env)
		if got := s.Setting(config.DebuggerBackend()); got != c.backend {
			t.Errorf("%s: backend %q", name, got)
		}
		if got := s.Setting(config.GuardMode()); got != c.guard {
			t.Errorf("%s: guard %q", name, got)
		}
		if got := strings.Join(s.Warnings(), "\n"); !strings.Contains(got, c.warning) || (c.warning == "") != (got == "") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
