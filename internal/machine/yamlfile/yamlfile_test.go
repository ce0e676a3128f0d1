package yamlfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	at := func(name string) string { return filepath.Join(root, name) }
	for _, err := range []error{
		os.WriteFile(outside, []byte("secret"), 0o600), os.WriteFile(at("good"), []byte("a: 1\n"), 0o600),
		os.WriteFile(at("largest"), make([]byte, MaxSize), 0o600), os.WriteFile(at("large"), make([]byte, MaxSize+1), 0o600),
		os.Symlink("good", at("link")), os.Symlink(outside, at("out")), os.Symlink("loop", at("loop")), os.Symlink("/dev/zero", at("zero")),
		syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"good", "link", "largest"} {
		if text, err := Read(root, name); err != nil || text == "" {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
	for _, name := range []string{"large", "out", "../" + filepath.Base(root) + "/good", "loop", "zero", "pipe", "folder", "."} {
		if text, err := Read(root, name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
	for _, dir := range []string{root, at("none")} {
		if _, err := Read(dir, "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestBounds(t *testing.T) {
	bomb := "a: &a [x, x]\n"
	for i := range 12 {
		last, name := string(rune('a'+i)), string(rune('b'+i))
		bomb += name + ": &" + name + " [*" + last + ", *" + last + ", *" + last + ", *" + last + "]\n"
	}
	for name, text := range map[string]string{
		"aliases": bomb, "itself": "a: &a [*a]\n", "size": "a: 1\n#" + strings.Repeat("x", MaxSize),
		"brackets": "a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100), "dashes": "a:\n" + strings.Repeat("- ", 100) + "x\n",
	} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}

// TestWhatParsingCosts: whatever fills a file, the parser takes little memory for it.
func TestWhatParsingCosts(t *testing.T) {
	const most = 150 << 20 // in all, most of it given back at once
	for _, unit := range []string{"[", "{", "[{", "{a: [", "[a,", "{?", "- ", "? ", "- ? ", "a: {",
		"&a ", "!t ", "*a ", ": ", "a:\n- ", "---\n", "<<: "} {
		for _, head := range []string{"", "a: ", "a:\n  "} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _ = Parse(head + strings.Repeat(unit, (MaxSize-len(head))/len(unit))) // only its cost counts
			runtime.ReadMemStats(&after)
			if cost := after.TotalAlloc - before.TotalAlloc; cost > most {
				t.Errorf("%q, then %q: %d MB", head, unit, cost>>20)
			}
		}
	}
}

func TestValues(t *testing.T) {
	doc, err := Parse("list: [a, b]\none: x\ncount: 7\nempty:\nminus: -1\nquoted: \"7\"\nmixed: [a, 1]\nlast: &l [c]\nagain: *l\n")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"list": "a b", "empty": "", "none": "", "again": "c", "one": "!", "mixed": "!"} {
		got, err := doc.Texts(key)
		if wrong := want == "!"; wrong != (err != nil) || !wrong && strings.Join(got, " ") != want {
			t.Errorf("texts of %s: %q %v", key, got, err)
		}
	}
	for key, want := range map[string]string{"one": "x", "quoted": "7", "empty": "", "none": "", "count": "!", "list": "!"} {
		got, err := doc.One(key)
		if wrong := want == "!"; wrong != (err != nil) || !wrong && got != want {
			t.Errorf("text of %s: %q %v", key, got, err)
		}
	}
	for key, want := range map[string]int{"count": 7, "empty": 0, "none": 0, "minus": -1, "quoted": -1, "list": -1, "one": -1} {
		if got, err := doc.Count(key); (want < 0) != (err != nil) || err == nil && got != want {
			t.Errorf("count of %s: %d %v", key, got, err)
		}
	}
}

// FuzzParse: no text panics, what is wrong has a line, and no message says what the text says.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "a: 1", "- a", "a: *b", "a: &a [*a]", "? : :", "{a: [}", "%YAML 9", "%YAML CANARY", "a: !!CANARY 1",
		"CANARY: 1\nCANARY: 2", "\"CANARY", "a: 'CANARY", "CANARY", "*CANARY", "a: \"\\CANARY\"", "a: |CANARY", "\tCANARY: 1", "!!int CANARY"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := Parse(text)
		if err == nil || len(text) > MaxSize {
			return
		}
		var p *Problem
		if !errors.As(err, &p) || p.Line < 1 || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%q: %v", text, err)
		}
	})
}
