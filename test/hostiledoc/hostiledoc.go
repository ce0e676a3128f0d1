// Package hostiledoc tests readers of YAML files with the files that a hostile project may contain. Refuses gives a reader links, pipes,
// devices, huge and deep documents, and wants each time a fault that names the file and quotes none of its content.
package hostiledoc

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/fault"
)

// Secret stands in hostile files and in what they point to. No fault may quote it.
const Secret = "very-secret-key"

// Refuses gives a reader hostile files, those every reader refuses and the given texts by name, and wants a fault with a
// hint each time, which names the file and quotes nothing of it. known is a key whose value is a list. A pipe would be waited
// for without end, so each file has a deadline.
func Refuses(t *testing.T, known string, read func(path string) error, more map[string]string) {
	t.Helper()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(Secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := map[string]func(path string) error{
		"key":       func(path string) error { return os.Symlink(key, path) },
		"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"device":    func(path string) error { return os.Symlink("/dev/zero", path) },
		"loop":      func(path string) error { return os.Symlink(filepath.Base(path), path) },
	}
	texts := map[string]string{
		"alias bomb":   aliasBomb(known),
		"5 MB":         known + ": [x]\n#" + strings.Repeat("x", 5<<20),
		"deep flow":    known + ": " + strings.Repeat("[", 15000) + strings.Repeat("]", 15000),
		"deep block":   known + ": \n" + strings.Repeat("- ", 15000) + "x\n",
		"broken":       known + ": [\n\"" + Secret + "\": " + Secret + "\n",
		"a key twice":  Secret + ": 1\n" + Secret + ": 2\n",
		"a wrong type": known + ": {" + Secret + ": 1}\n",
	}
	for _, all := range []map[string]string{texts, more} {
		for name, text := range all {
			files[name] = func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
		}
	}
	for name, lay := range files {
		t.Run(name, func(t *testing.T) { refuses(t, lay, read) })
	}
}

func refuses(t *testing.T, lay, read func(path string) error) {
	path := filepath.Join(t.TempDir(), ".ios-agent", "config.yaml")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := lay(path); err != nil {
		t.Fatal(err)
	}
	said := make(chan error, 1)
	go func() { said <- read(path) }()
	select {
	case err := <-said:
		f, ok := fault.In(err)
		if !ok || f.Hint == "" || !strings.Contains(f.Message, path) || strings.Contains(f.Message+f.Hint, Secret) {
			t.Errorf("%v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it is still being read")
	}
}

// aliasBomb is a few hundred bytes that mean 10^9 nodes.
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
