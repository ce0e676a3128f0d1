package config

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/machine/docfile"
)

// Setting is a key of the config file that configures tools; it is not an input of calls. Its environment variable is XcodeBuildMCP's.
type Setting struct {
	Key     string
	Choices []string
}

// DebuggerBackend is the way to talk to LLDB.
func DebuggerBackend() Setting {
	return Setting{"debuggerBackend", []string{"dap", "lldb-cli", "lldb"}}
}

// The choices of GuardMode.
const (
	GuardError = "error"
	GuardWarn  = "warn"
	GuardOff   = "off"
)

// GuardMode decides what happens to looks and actions on a device while a debugger has paused one of its apps.
func GuardMode() Setting {
	return Setting{"uiDebuggerGuardMode", []string{GuardError, GuardWarn, GuardOff}}
}

func allSettings() []Setting { return []Setting{DebuggerBackend(), GuardMode()} }

// Variable is the environment variable of the setting.
func (k Setting) Variable() string { return "XCODEBUILDMCP_" + upperSnake(k.Key) }

// read checks that a text is one of the choices.
func (k Setting) read(text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if !slices.Contains(k.Choices, text) {
		return "", fmt.Errorf("%s is one of %s, not %.40q", k.Key, strings.Join(k.Choices, ", "), text)
	}
	return text, nil
}

// Setting returns the value of a setting: the file's or, without one, the environment's, in XcodeBuildMCP's order; empty if neither has
// one.
func (s *Store) Setting(k Setting) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.config.settings[k.Key]; v != "" {
		return v
	}
	return s.settings[k.Key]
}

// settingsOf reads the environment's settings. It skips an invalid one with a warning.
func settingsOf(env map[string]string) (all map[string]string, warnings []string) {
	all = map[string]string{}
	for _, k := range allSettings() {
		if blank(env[k.Variable()]) {
			continue
		}
		v, err := k.read(env[k.Variable()])
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("environment variable %s is ignored: %v", k.Variable(), err))
			continue
		}
		all[k.Key] = v
	}
	return all, warnings
}

// settings reads the settings in the file.
func (r *reader) settings() map[string]string {
	all := map[string]string{}
	for _, k := range allSettings() {
		raw, has := r.doc.Tree[k.Key]
		if !has {
			continue
		}
		one, _ := raw.(scalar)
		if one.Tag == docfile.TagNull {
			continue
		}
		v, err := k.read(one.Text)
		if err != nil {
			r.warn([]string{k.Key}, "%v", err)
			continue
		}
		all[k.Key] = v
	}
	return all
}
