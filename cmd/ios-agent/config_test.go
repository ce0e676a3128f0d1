package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/fault"
)

// TestAHostileProjectFile: the file of a project that somebody else wrote costs neither memory nor time, and what it points
// to is not told. A pipe would be waited for without end, so each file has a deadline.
func TestAHostileProjectFile(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("very-secret-key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(text string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	for name, lay := range map[string]func(path string) error{
		"alias bomb":   write(aliasBomb("tools")),
		"key":          func(path string) error { return os.Symlink(key, path) },
		"pipe":         func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"directory":    func(path string) error { return os.Mkdir(path, 0o700) },
		"device":       func(path string) error { return os.Symlink("/dev/zero", path) },
		"loop":         func(path string) error { return os.Symlink("config.yaml", path) },
		"5 MB":         write("tools: [core]\n#" + strings.Repeat("x", 5<<20)),
		"deep flow":    write("tools: " + strings.Repeat("[", 15000) + strings.Repeat("]", 15000)),
		"deep block":   write("tools: \n" + strings.Repeat("- ", 15000) + "core\n"),
		"a secret":     write("tools: [\n\"very-secret-key\": very-secret-key\n"),
		"a key twice":  write("very-secret-key: 1\nvery-secret-key: 2\n"),
		"a wrong type": write("tools: {very-secret-key: 1}\n"),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, ".ios-agent", "config.yaml")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := lay(path); err != nil {
				t.Fatal(err)
			}
			said := make(chan error, 1)
			go func() {
				_, err := projectTools(dir)
				said <- err
			}()
			select {
			case err := <-said:
				if f, ok := fault.In(err); !ok || f.Hint == "" || !strings.Contains(f.Message, path) ||
					strings.Contains(f.Message+f.Hint, "very-secret-key") {
					t.Errorf("%v", err)
				}
			case <-time.After(10 * time.Second):
				t.Error("it is still being read")
			}
		})
	}
}

// aliasBomb is a few hundred bytes of YAML that mean 10^9 nodes.
func aliasBomb(key string) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 8 {
		from, to := string(rune('0'+i)), string(rune('1'+i))
		b.WriteString("a" + to + ": &a" + to + " [" + strings.TrimSuffix(strings.Repeat("*a"+from+", ", 10), ", ") + "]\n")
	}
	b.WriteString(key + ": *a8\n")
	return b.String()
}
