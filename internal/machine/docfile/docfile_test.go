package docfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/pelletier/go-toml/v2"
	"howett.net/plist"
)

func TestReadRefusesSpecialAndOutsideFiles(t *testing.T) {
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	at := func(name string) string { return filepath.Join(root, name) }
	for _, err := range []error{
		os.WriteFile(outside, []byte("secret"), 0o600), os.WriteFile(at("good"), []byte("a: 1\n"), 0o600),
		os.WriteFile(at("largest"), make([]byte, MostYAML), 0o600), os.WriteFile(at("large"), make([]byte, MostYAML+1), 0o600),
		os.Symlink("good", at("link")), os.Symlink(outside, at("out")), os.Symlink("loop", at("loop")), os.Symlink("/dev/zero", at("zero")),
		syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"good", "link", "largest"} {
		if text, err := Read(root, name, MostYAML); err != nil || len(text) == 0 {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
	for _, name := range []string{"large", "out", "../" + filepath.Base(root) + "/good", "loop", "zero", "pipe", "folder", "."} {
		if text, err := Read(root, name, MostYAML); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
		if name == "out" || name[0] == '.' {
			continue
		}
		if text, err := ReadOwn(at(name), MostYAML); err == nil {
			t.Errorf("own %s: %d bytes", name, len(text))
		}
	}
	for _, dir := range []string{root, at("none")} {
		if _, err := Read(dir, "none", MostYAML); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if text, err := ReadOwn(at("out"), MostYAML); err != nil || string(text) != "secret" {
		t.Errorf("a link of one's own: %q %v", text, err)
	}
}

// TestSlowReadEndsAfterTimeout: a file that does not come costs its time and no more.
func TestSlowReadEndsAfterTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		came := make(chan struct{})
		_, err := within(wait, func() ([]byte, error) { <-came; return nil, nil })
		if !errors.Is(err, ErrSlow) {
			t.Error(err)
		}
		close(came)
	})
}

// TestDocumentsOverBoundsAreRefused: what is too deep or too much is refused, at little cost, and what is just within the bounds is read.
func TestDocumentsOverBoundsAreRefused(t *testing.T) {
	rep := strings.Repeat
	nested := func(open, shut string, n int) string { return rep(open, n) + rep(shut, n) }
	for name, c := range map[string]struct {
		read     func(text []byte) error
		good, no string
	}{
		"JSON lists":        {JSON, nested("[", "]", 64), nested("[", "]", 65)},
		"JSON objects":      {JSON, nested(`{"a":[`, "]}", 32) + "", nested(`{"a":[`, "]}", 33)},
		"JSON nodes":        {JSON, "[" + rep("1,", 1000) + "1]", "[" + rep("1,", maxNodes) + "1]"},
		"JSON open":         {JSON, `"` + rep("[", 1000) + `"`, rep("[", 4<<20)},
		"JSON after a text": {JSON, `["` + rep(`\"[`, 100) + `"]`, `["\\",` + nested("[", "]", 70) + `]`},
		"TOML lists":        {tomlDoc, "a = " + nested("[", "]", 64), "a = " + nested("[", "]", 65)},
		"TOML texts": {tomlDoc, `a = '\'` + "\nb = \"\"\"\n[[\"[\"\"\n" + rep("[", 99) + "\"\"\"\"\"\n# " + rep("[", 99),
			"a = '''\\'''\nb = " + nested("[", "]", 65)},
		"TOML tables":          {tomlDoc, "a = " + nested("{a = ", "1}", 1), "a = " + nested("{a = ", "}", 99)},
		"XML":                  {list, nested("<array>", "</array>", 64), nested("<array>", "</array>", 65)},
		"old style":            {list, nested("(", ")", 64), nested("(", ")", 65)},
		"old style, comments":  {list, "/* " + rep("(", 99) + " */ // " + rep("{", 99) + "\n{a = \"" + rep("(", 99) + "\";}", rep("(", 4<<20)},
		"old style in UTF-16":  {list, "(a)", rep("(\x00", 99)},
		"binary":               {list, binaryNested(t, 63), binaryNested(t, 70)},
		"binary that explodes": {list, explosion(2), explosion(40)},
		"binary in itself":     {list, explosion(1), loop()},
	} {
		if err := c.read([]byte(c.good)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := c.read([]byte(c.no)); err == nil {
			t.Errorf("%s: it is read", name)
		}
		runtime.ReadMemStats(&after)
		if cost := after.TotalAlloc - before.TotalAlloc; cost > 64<<20 {
			t.Errorf("%s: %d MB", name, cost>>20)
		}
	}
}

func list(raw []byte) error {
	var all any
	return Plist(raw, &all)
}

func tomlDoc(text []byte) error {
	if err := TOML(text); err != nil {
		return err
	}
	var all map[string]any
	return toml.Unmarshal(text, &all)
}

func binaryNested(t *testing.T, depth int) string {
	var v any = "x"
	for range depth {
		v = []any{v}
	}
	raw, err := plist.Marshal(v, plist.BinaryFormat)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// explosion is a binary list of lists, each of which names the next one twice.
func explosion(levels int) string {
	var objects []string
	for i := range levels {
		objects = append(objects, string([]byte{0xa2, byte(i + 1), byte(i + 1)}))
	}
	return binaryOf(append(objects, "\x51x"))
}

func loop() string { return binaryOf([]string{"\xa1\x01", "\xa1\x00"}) }

func binaryOf(objects []string) string {
	b := bytes.NewBufferString("bplist00")
	var offsets []byte
	for _, o := range objects {
		offsets = append(offsets, byte(b.Len()))
		b.WriteString(o)
	}
	table := b.Len()
	b.Write(offsets)
	b.Write([]byte{0, 0, 0, 0, 0, 0, 1, 1})
	for _, n := range []int{len(objects), 0, table} {
		b.Write(binary.BigEndian.AppendUint64(nil, uint64(n)))
	}
	return b.String()
}

// FuzzDocuments: no text panics any reader, and no message says what the text says.
func FuzzDocuments(f *testing.F) {
	for _, s := range []string{
		`{"CANARY": [1, {}]}`, `{"a": CANARY}`, `"CANARY`, "[CANARY]\na = 'CANARY", "a = \"\"\"CANARY\"\"\"\"\" # CANARY",
		"{CANARY = (a, \"b\");}",
		"<plist><dict><key>CANARY</key><integer>CANARY</integer></dict></plist>", "<CANARY", explosion(3), loop(), "/*CANARY", "<00 CANARY>",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for name, read := range map[string]func([]byte) error{"JSON": JSON, "TOML": TOML, "plist": list} {
			if err := read(text); err != nil && strings.Contains(err.Error(), "CANARY") {
				t.Errorf("%s %q: %v", name, text, err)
			}
		}
	})
}
