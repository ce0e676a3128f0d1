package connect

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/fault"
)

// TestAHostilePolicyFile: a policy that came with a project costs neither memory nor time, and what it points to is not
// told. A pipe would be waited for without end, so each file has a deadline.
func TestAHostilePolicyFile(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("very-secret-key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(text string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	bomb := "confirm: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 8 {
		from, to := string(rune('0'+i)), string(rune('1'+i))
		bomb += "a" + to + ": &a" + to + " [" + strings.TrimSuffix(strings.Repeat("*a"+from+", ", 10), ", ") + "]\n"
	}
	for name, lay := range map[string]func(path string) error{
		"alias bomb":        write(bomb + "allow: *a8\n"),
		"key":               func(path string) error { return os.Symlink(key, path) },
		"pipe":              func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"directory":         func(path string) error { return os.Mkdir(path, 0o700) },
		"device":            func(path string) error { return os.Symlink("/dev/zero", path) },
		"loop":              func(path string) error { return os.Symlink("policy.yaml", path) },
		"5 MB":              write("deny: [alert]\n#" + strings.Repeat("x", 5<<20)),
		"deep flow":         write("deny: " + strings.Repeat("[", 15000) + strings.Repeat("]", 15000)),
		"deep block":        write("deny: \n" + strings.Repeat("- ", 15000) + "alert\n"),
		"broken":            write("deny: [\n\"very-secret-key\": very-secret-key\n"),
		"not a mapping":     write("very-secret-key\n"),
		"a key twice":       write("very-secret-key: 1\nvery-secret-key: 2\n"),
		"an unknown key":    write("very-secret-key: 1\n"),
		"a wrong type":      write("deny: {very-secret-key: 1}\n"),
		"a wrong confirm":   write("confirm: very-secret-key\n"),
		"a wrong number":    write("max_steps: very-secret-key\n"),
		"a wrong operation": write("deny: [very-secret-key]\n"),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "policy.yaml")
			if err := lay(path); err != nil {
				t.Fatal(err)
			}
			said := make(chan error, 1)
			go func() {
				_, err := ReadPolicy(path, catalogue())
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
