package plists_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/plists"
	"ios-agent/internal/virtualxcode/tool"
)

const sample = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>CFBundleIdentifier</key><string>com.example.notes</string>
<key>Count</key><integer>3</integer><key>Share</key><real>0.5</real><key>On</key><true/>
<key>Types</key><array><dict><key>Name</key><string>a/b "c"</string></dict><string>two</string></array>
<key>dotted.key</key><string>dots</string>
</dict></plist>
`

// bench is a folder with a file in it.
type bench struct {
	*testing.T
	dir, file string
	input     string
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, dir: t.TempDir()}
	b.file = filepath.Join(b.dir, "Info.plist")
	if err := os.WriteFile(b.file, []byte(sample), 0o644); err != nil {
		t.Fatal(err)
	}
	return b
}

// run plays a line whose words are separated by bars; FILE is the file.
func (b *bench) run(line string) (stdout, stderr string, exit int) {
	b.Helper()
	var out, errs bytes.Buffer
	words := strings.Split(line, "|")
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "FILE", b.file)
	}
	call := tool.Call{Args: words[1:], Dir: b.dir, Stdin: strings.NewReader(b.input), Stdout: &out, Stderr: &errs}
	t := plists.Tool{Call: call, Preferences: filepath.Join(b.dir, "Preferences")}
	exit = t.Defaults()
	return out.String(), errs.String(), exit
}

func (b *bench) want(line, want string) {
	b.Helper()
	if out, stderr, exit := b.run(line); exit != 0 || out != want {
		b.Errorf("%s: %d\n%s\nwant\n%s\n%s", line, exit, out, want, stderr)
	}
}

func (b *bench) refuse(line string, exit int, say string) {
	b.Helper()
	if out, stderr, got := b.run(line); got != exit || !strings.Contains(out+stderr, say) {
		b.Errorf("%s: %d\n%s%s", line, got, out, stderr)
	}
}

func TestDefaultsReadsAndWritesValues(t *testing.T) {
	b := newBench(t)
	app := strings.TrimSuffix(b.file, ".plist")
	b.want("defaults|read|"+app+"|CFBundleIdentifier", "com.example.notes\n")
	b.want("defaults|read|"+b.file+"|On", "1\n")
	b.want("defaults|read|"+app+"|Types", "(\n    {\n        Name = \"a/b \\\"c\\\"\";\n    },\n    two\n)\n")
	b.refuse("defaults|read|"+app+"|Nothing", 1, "The domain/default pair of ("+app+", Nothing) does not exist\n")
	b.refuse("defaults|read|com.example.none", 1, "Domain com.example.none does not exist\n")
	b.want("defaults|write|com.example.notes|Name|Ada", "")
	b.want("defaults|write|com.example.notes|Open|-bool|YES", "")
	b.want("defaults|write|com.example.notes|Sizes|-array|1|(2, 3)", "")
	b.want("defaults|write|com.example.notes|Sizes|-array-add|4", "")
	b.want("defaults|write|com.example.notes|Map|-dict|a|1|b|two", "")
	b.want("defaults|read|com.example.notes", "{\n    Map =     {\n        a = 1;\n        b = two;\n    };\n    Name = Ada;\n    Open "+
		"= 1;\n    Sizes =     (\n        1,\n        (\n            2,\n            3\n        ),\n        4\n    );\n}\n")
	b.want("defaults|read-type|com.example.notes|Open", "Type is boolean\n")
	b.want("defaults|-currentHost|write|-g|Theme|Dark", "")
	b.want("defaults|read|NSGlobalDomain|Theme", "Dark\n")
	b.want("defaults|domains", "NSGlobalDomain, com.example.notes\n")
	b.want("defaults|export|com.example.notes|"+app+"-copy.plist", "")
	b.want("defaults|write|com.example.other|Own|1", "")
	b.want("defaults|import|com.example.other|"+app+"-copy.plist", "")
	b.want("defaults|read|com.example.other|Name", "Ada\n")
	b.want("defaults|read|com.example.other|Own", "1\n")
	b.want("defaults|delete|com.example.other", "")
	b.refuse("defaults|export|com.example.none|-", 0, "<dict>")
	b.refuse("defaults|import|com.example.none|/no/such/file", 1, "Could not read /no/such/file")
	b.refuse("defaults|import|com.example.none|-", 1, "Could not parse")
	b.want("defaults|delete|com.example.notes|Name", "")
	b.refuse("defaults|delete|com.example.notes|Name", 1, "Domain (com.example.notes) not found.\n")
	b.want("defaults|delete|com.example.notes", "")
	b.refuse("defaults|read|com.example.notes|Open", 1, "does not exist")
	b.refuse("defaults|write|x|y|-int|many", 1, "leaving defaults unchanged")
	b.refuse("defaults|frobnicate", 255, "Command line interface to a user's defaults.")
}

// TestPythonReadsPlistsOfDefaults: what defaults writes, Python's plistlib reads, and what that writes defaults reads, in either form.
func TestPythonReadsPlistsOfDefaults(t *testing.T) {
	b := newBench(t)
	b.want("defaults|write|FILE|When|-date|2024-01-02T03:04:05Z", "")
	b.want("defaults|write|FILE|Raw|-data|010203", "")
	const script = `
import plistlib, sys
with open(sys.argv[1], "rb") as f: p = plistlib.load(f)
assert p["Raw"] == bytes([1, 2, 3]), p
assert p["When"].isoformat() == "2024-01-02T03:04:05", p
assert p["Types"][1] == "two" and p["On"] is True and p["Share"] == 0.5, p
with open(sys.argv[1], "wb") as f: plistlib.dump(p, f, fmt=plistlib.FMT_BINARY if sys.argv[2] == "binary" else plistlib.FMT_XML)
`
	for _, format := range []string{"xml", "binary"} {
		python(t, script, b.file, format)
		b.want("defaults|read|FILE|Count", "3\n")
	}
}

// python runs a script. Where there is no Python the test is skipped, except where CI says there must be.
func python(t *testing.T, script string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no python3 to read property lists with")
	}
	var errs bytes.Buffer
	cmd := exec.Command("python3", append([]string{"-c", script}, args...)...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return string(out)
}

// FuzzDefaults: no file makes the tool fail otherwise than by an exit status; what it reads it can write and read again.
func FuzzDefaults(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("{ a = b; }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := newBench(t)
		if err := os.WriteFile(b.file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, exit := b.run("defaults|read|FILE"); exit != 0 {
			return
		}
		if _, stderr, exit := b.run("defaults|write|FILE|added|1"); exit != 0 {
			t.Fatalf("what can be read cannot be written: %s", stderr)
		}
		b.want("defaults|read|FILE|added", "1\n")
	})
}
