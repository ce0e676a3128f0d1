package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
)

// TestHostileSettingsAreLeftAlone: a project that was cloned may bring settings that are links, deep, long or broken. init leaves them
// alone, says which file that is, writes nothing anywhere, and quotes nothing of what they hold.
func TestHostileSettingsAreLeftAlone(t *testing.T) {
	const secret = "very-secret-key"
	held := `{"` + secret + `": "` + secret + `"}`
	write := func(text string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	link := func(to string) func(string) error {
		return func(path string) error { return os.Symlink(to, path) }
	}
	absolute := func(path string) error { return os.Symlink(filepath.Join(path, "../../outside/key.json"), path) }
	deep := strings.Repeat("[", 4<<20-100)
	for name, c := range map[string]struct {
		client, path string
		lay          func(path string) error // outside is ../outside
	}{
		"a link out":          {"claude-code", ".mcp.json", absolute},
		"a relative link out": {"claude-code", ".mcp.json", link("../outside/key.json")},
		"a folder out":        {"claude-code", ".claude", link("../outside")},
		"rules out":           {"codex", ".codex", link("../outside")},
		"deep JSON":           {"claude-code", ".mcp.json", write(deep)},
		"many values":         {"claude-code", ".mcp.json", write("[" + strings.Repeat("0,", 2<<20-100) + "0]")},
		"broken JSON":         {"claude-code", ".mcp.json", write("{\n" + secret)},
		"deep TOML":           {"codex", "../home/.codex/config.toml", write("a = " + deep)},
		"broken TOML":         {"codex", "../home/.codex/config.toml", write("a = " + secret)},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			outside := filepath.Join(base, "outside")
			key := filepath.Join(outside, "key.json")
			o := Options{Clients: []string{c.client}, Dir: filepath.Join(base, "project"), UserHome: filepath.Join(base, "home"), Skill: marker}
			path := filepath.Join(o.Dir, c.path)
			for _, err := range []error{
				os.Mkdir(outside, 0o700), os.Mkdir(o.Dir, 0o700), os.MkdirAll(filepath.Join(o.UserHome, ".codex"), 0o700),
				write(held)(key), c.lay(path),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			changes, refused := Plan(o)
			if err := Apply(changes); err != nil {
				t.Error(err)
			}
			f, ok := fault.In(refused)
			if !ok || !strings.Contains(f.Message, filepath.Clean(path)) || strings.Contains(f.Message+f.Hint, secret) {
				t.Errorf("%v", refused)
			}
			entries, err := os.ReadDir(outside)
			if raw, _ := os.ReadFile(key); err != nil || len(entries) != 1 || string(raw) != held {
				t.Errorf("outside the project: %v %s", entries, raw)
			}
		})
	}
}
