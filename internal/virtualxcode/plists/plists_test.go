package plists_test

import (
	"bytes"
	"encoding/json"
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
	play := map[string]func() int{"plutil": t.Plutil, "PlistBuddy": t.PlistBuddy, "defaults": t.Defaults}[words[0]]
	exit = play()
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

func TestPlutil(t *testing.T) {
	b := newBench(t)
	b.want("plutil|FILE", b.file+": OK\n")
	b.want("plutil|-convert|json|-o|-|FILE",
		`{"CFBundleIdentifier":"com.example.notes","Count":3,"On":true,"Share":0.5,`+
			`"Types":[{"Name":"a\/b \"c\""},"two"],"dotted.key":"dots"}`)
	b.want("plutil|-p|FILE", "{\n  \"CFBundleIdentifier\" => \"com.example.notes\"\n  \"Count\" => 3\n  \"On\" => true\n  \"Share\" => "+
		"0.5\n  \"Types\" => [\n    0 => {\n      \"Name\" => \"a/b \\\"c\\\"\"\n    }\n    1 => \"two\"\n  ]\n  \"dotted.key\" => "+
		"\"dots\"\n}\n")
	for line, want := range map[string]string{
		"CFBundleIdentifier|raw": "com.example.notes\n", "Types|raw": "2\n", "Types.0|raw": "Name\n", "On|raw": "true\n",
		`dotted\.key|raw`: "dots\n",
	} {
		b.want("plutil|-extract|"+line+"|-o|-|FILE", want)
	}
	b.want("plutil|-extract|Types|json|-o|-|FILE", `[{"Name":"a\/b \"c\""},"two"]`)
	b.want("plutil|-type|Share|FILE", "float\n")
	b.refuse("plutil|-extract|Nothing|raw|-o|-|FILE", 1, b.file+": Could not extract value, error: No value at that key path or "+
		"invalid key path: Nothing\n")
	b.refuse("plutil|-extract|Count|raw|-expect|string|FILE", 1, "expected to be string but is integer")
	b.refuse("plutil|-lint|/nowhere.plist", 1, "/nowhere.plist: file does not exist or is not readable or is not a regular file")
	b.refuse("plutil|-convert|yaml|FILE", 1, "Unknown format specifier: yaml")
	b.refuse("plutil|-frobnicate|FILE", 1, "unrecognized option: -frobnicate")
	b.refuse("plutil", 1, "No files specified.")

	b.want("plutil|-replace|Count|-integer|7|FILE", "")
	b.want("plutil|-replace|Types.1|-bool|NO|FILE", "")
	b.want("plutil|-insert|New|-json|{\"a\":[1,2.5]}|FILE", "")
	b.refuse("plutil|-insert|New|-string|x|FILE", 1, "Key path already exists New")
	b.want("plutil|-remove|Share|FILE", "")
	b.refuse("plutil|-remove|Share|FILE", 1, "No value to remove at path Share")
	b.want("plutil|-convert|binary1|FILE", "")
	b.want("plutil|-convert|json|-o|-|FILE",
		`{"CFBundleIdentifier":"com.example.notes","Count":7,"New":{"a":[1,2.5]},"On":true,`+
			`"Types":[{"Name":"a\/b \"c\""},false],"dotted.key":"dots"}`)
	b.input = `{"x": "y"}`
	b.want("plutil|-p|-", "{\n  \"x\" => \"y\"\n}\n")
	b.input = "nonsense <"
	b.refuse("plutil|-lint|-", 1, "<stdin>: ")
}

func TestPlistBuddy(t *testing.T) {
	b := newBench(t)
	b.want("PlistBuddy|-c|Print :CFBundleIdentifier|FILE", "com.example.notes\n")
	b.want("PlistBuddy|-c|Print:CFBundleIdentifier|FILE", "com.example.notes\n")
	b.want("PlistBuddy|-c|Print :Types|FILE", "Array {\n    Dict {\n        Name = a/b \"c\"\n    }\n    two\n}\n")
	b.want("PlistBuddy|-c|Print Types:0:Name|FILE", "a/b \"c\"\n")
	if out, _, _ := b.run("PlistBuddy|-x|-c|Print :Types|FILE"); !strings.HasPrefix(out, "<?xml") ||
		!strings.Contains(out, "<string>two</string>") {
		t.Errorf("%s", out)
	}
	b.refuse("PlistBuddy|-c|Print :Nothing|FILE", 1, "Print: Entry, \":Nothing\", Does Not Exist\n")
	b.want("PlistBuddy|-c|Set :Count 9|-c|Set :CFBundleIdentifier 'com example'|FILE", "")
	b.want("PlistBuddy|-c|Print :Count|-c|Print :CFBundleIdentifier|FILE", "9\ncom example\n")
	b.refuse("PlistBuddy|-c|Set :Count many|FILE", 1, "Unrecognized Integer Format\n")
	b.refuse("PlistBuddy|-c|Set :Nothing x|FILE", 1, "Set: Entry, \":Nothing\", Does Not Exist\n")
	b.want("PlistBuddy|-c|Add :Inner dict|-c|Add :Inner:When date 2024-01-02|-c|Add :Types: string three|FILE", "")
	b.want("PlistBuddy|-c|Print :Inner:When|-c|Print :Types:2|FILE", "Tue Jan 02 00:00:00 UTC 2024\nthree\n")
	b.refuse("PlistBuddy|-c|Add :Count integer 1|FILE", 1, "Add: \":Count\" Entry Already Exists\n")
	b.want("PlistBuddy|-c|Copy :Types :Kinds|-c|Delete :Types|FILE", "")
	b.refuse("PlistBuddy|-c|Delete :Types|FILE", 1, "Delete: Entry, \":Types\", Does Not Exist\n")
	b.refuse("PlistBuddy|-c|Dance|FILE", 1, "Unrecognized Command\n")
	b.want("PlistBuddy|-c|Add :A string b|FILE.new", "File Doesn't Exist, Will Create: "+b.file+".new\n")
	b.input = "Print :A\nSet :A c\nSave\nExit\n"
	b.want("PlistBuddy|FILE.new", "Command: b\nCommand: Command: Saving...\nCommand: ")
	b.want("PlistBuddy|-c|Print :A|FILE.new", "c\n")
}

func TestDefaults(t *testing.T) {
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
	b.want("defaults|delete|com.example.notes|Name", "")
	b.refuse("defaults|delete|com.example.notes|Name", 1, "Domain (com.example.notes) not found.\n")
	b.want("defaults|delete|com.example.notes", "")
	b.refuse("defaults|read|com.example.notes|Open", 1, "does not exist")
	b.refuse("defaults|write|x|y|-int|many", 1, "leaving defaults unchanged")
	b.refuse("defaults|frobnicate", 255, "Command line interface to a user's defaults.")
}

// TestAnotherReaderAgrees: what our tools write, Python's plistlib reads, and what that writes they read.
func TestAnotherReaderAgrees(t *testing.T) {
	b := newBench(t)
	b.want("plutil|-insert|When|-date|2024-01-02T03:04:05Z|FILE", "")
	b.want("plutil|-insert|Raw|-data|AQID|FILE", "")
	for _, format := range []string{"xml1", "binary1"} {
		b.want("plutil|-convert|"+format+"|FILE", "")
		const script = `
import plistlib, sys, json
with open(sys.argv[1], "rb") as f: p = plistlib.load(f)
assert p["Raw"] == bytes([1, 2, 3]), p
assert p["When"].isoformat() == "2024-01-02T03:04:05", p
del p["Raw"], p["When"]
print(json.dumps(p, sort_keys=True))
with open(sys.argv[1] + ".back", "wb") as f: plistlib.dump(p, f, fmt=plistlib.FMT_BINARY if sys.argv[2] == "binary1" else plistlib.FMT_XML)
`
		out := python(t, script, b.file, format)
		var theirs, ours any
		ourText, _, _ := b.run("plutil|-convert|json|-o|-|FILE.back")
		if json.Unmarshal([]byte(out), &theirs) != nil || json.Unmarshal([]byte(ourText), &ours) != nil {
			t.Fatalf("%s: %s\n%s", format, out, ourText)
		}
		if a, b := compact(t, theirs), compact(t, ours); a != b {
			t.Errorf("%s: plistlib reads\n%s\nwe read\n%s", format, a, b)
		}
	}
}

func compact(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
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

// FuzzPlutil: no file makes the tool fail otherwise than by an exit status; what it takes it can write and read again.
func FuzzPlutil(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`{"a": [1, 2.5, null]}`))
	f.Add([]byte("{ a = b; }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := newBench(t)
		if err := os.WriteFile(b.file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, exit := b.run("plutil|-lint|FILE"); exit != 0 {
			return
		}
		if _, _, exit := b.run("plutil|-p|FILE"); exit != 0 {
			t.Error("what is fine cannot be shown")
		}
		for _, format := range []string{"xml1", "binary1"} {
			if _, _, exit := b.run("plutil|-convert|" + format + "|-o|FILE." + format + "|FILE"); exit != 0 {
				continue // what came from JSON may have no form here
			}
			if _, stderr, exit := b.run("plutil|-p|FILE." + format); exit != 0 {
				t.Errorf("what we wrote as %s we cannot read: %s", format, stderr)
			}
		}
	})
}
