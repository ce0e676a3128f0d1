package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/config"
	"ios-agent/internal/fault"
)

type values = map[string]any

// project makes a folder whose config file has this text; none when it is empty.
func project(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if text == "" {
		return dir
	}
	if err := os.MkdirAll(filepath.Join(dir, ".ios-agent"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(configFile(dir), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func configFile(dir string) string { return filepath.Join(dir, ".ios-agent", "config.yaml") }

func read(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(configFile(dir))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func open(t *testing.T, text string, env map[string]string) (*config.Store, string) {
	t.Helper()
	dir := project(t, text)
	return config.Open(config.Options{Dir: dir, Home: "/home/me", Env: env}), dir
}

func set(t *testing.T, s *config.Store, v values) config.Outcome {
	t.Helper()
	out, err := s.Set(config.Change{Values: v})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// active are the values of the active profile that are set.
func active(s *config.Store) values {
	view := s.Show()
	out := values{}
	for name, v := range view.Profiles[view.Active].Values {
		if v != nil {
			out[name] = v
		}
	}
	return out
}

func wantFault(t *testing.T, err error, code fault.Code, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	f := fault.From(err)
	if f.Code != code {
		t.Errorf("code %s, want %s: %v", f.Code, code, err)
	}
	for _, part := range parts {
		if !strings.Contains(f.Message+"\n"+f.Hint, part) {
			t.Errorf("%q is not in %q, hint %q", part, f.Message, f.Hint)
		}
	}
}

// text is what a merged key has as its text; "" when it has none.
func text(m config.Merged, key string) string {
	s, _ := m.Values[key].Value.(string)
	return s
}

// args are the merged values alone.
func args(m config.Merged) map[string]any {
	out := map[string]any{}
	for name, v := range m.Values {
		out[name] = v.Value
	}
	return out
}
