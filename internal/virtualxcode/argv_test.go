package virtualxcode_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/service"
)

// argvRow is a line of testdata/argv.txt.
type argvRow struct {
	tool, verb, source string
	flags              []string
}

func argvTable(t *testing.T) (rows []argvRow) {
	t.Helper()
	data, err := os.ReadFile("testdata/argv.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 4 || !strings.HasPrefix(cells[2], "https://") || len(strings.Fields(cells[3])) == 0 {
			t.Fatalf("testdata/argv.txt: %q is not tool | verb | https://… | flags", line)
		}
		rows = append(rows, argvRow{cells[0], cells[1], cells[2], strings.Fields(cells[3])})
	}
	return rows
}

// sourced reports whether a row has the source of a flag of a verb; with the verb "", of the tool's flag.
func sourced(rows []argvRow, tool, verb, flag string) bool {
	return slices.ContainsFunc(rows, func(r argvRow) bool {
		return r.tool == tool && (verb == "" || r.verb == "*" || r.verb == verb) && slices.Contains(r.flags, flag)
	})
}

// argvCode is the code that accepts flags, or gives flags to tools: a file or a folder, and the tools.
var argvCode = map[string]string{
	"xcodebuild/options.go": "xcodebuild", "simctl": "simctl", "simctl/logreader.go": "log", "devicectl": "devicectl", "xctrace": "xctrace",
	"xcresult": "xcresulttool xccov", "xcresult/xccov.go": "xccov", "locate.go": "xcrun xcode-select", "axe": "axe", "idb": "idb",
	"open/open.go": "open", "sips": "sips", "plists": "defaults", "osascript": "osascript", "networksetup": "networksetup scutil route",

	"../apple/atos": "atos dwarfdump", "../apple/devicectl": "devicectl", "../apple/networksetup": "networksetup scutil route",
	"../apple/simctl": "simctl log", "../apple/xcodebuild": "xcodebuild", "../driver/idb": "idb idb_companion",
	"../driver/macax": "screencapture", "../driver/xctest": "log", "../xcode/builder": "xcodebuild xcresulttool xccov",
	"../xcode/macapp": "open osascript xcode-select Simulator", "../xcode/toolcheck": "xcrun xcode-select xcodebuild devicectl axe idb",
}

var argvFlag = regexp.MustCompile(`^--?[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9]=?)?$`)

// flagsIn are the texts of some code that are flags, or lists of flags. A part of a longer text is a flag only with a = at its end.
func flagsIn(t *testing.T, path string) map[string]bool {
	t.Helper()
	files := []string{path}
	if !strings.HasSuffix(path, ".go") {
		files, _ = filepath.Glob(path + "/*.go")
	}
	found := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || argvCode[name] != "" && name != path {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parts := map[ast.Node]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				parts[n.X], parts[n.Y] = n.Op == token.ADD, n.Op == token.ADD
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				words := strings.Fields(text)
				if err != nil || slices.ContainsFunc(words, func(w string) bool { return !argvFlag.MatchString(w) }) {
					return true
				}
				for _, w := range words {
					if !parts[n] || strings.HasSuffix(w, "=") {
						found[strings.TrimSuffix(w, "=")] = true
					}
				}
			}
			return true
		})
	}
	if len(files) == 0 {
		t.Fatalf("%s has no code", path)
	}
	return found
}

// TestEveryFlagHasSource: an invented flag would pass here and fail on a Mac. The table has recorded help, a manual page or public use for
// each flag that a virtual tool accepts or that production code gives to a tool.
func TestEveryFlagHasSource(t *testing.T) {
	rows, used := argvTable(t), map[string]bool{}
	for path, tools := range argvCode {
		for flag := range flagsIn(t, path) {
			known := false
			for tool := range strings.FieldsSeq(tools) {
				if sourced(rows, tool, "", flag) {
					known, used[tool+" "+flag] = true, true
				}
			}
			if !known {
				t.Errorf("%s has the flag %s of %s: testdata/argv.txt has no source for it", path, flag, tools)
			}
		}
	}
	for _, verb := range verbsOfTools(t) {
		for _, flag := range verb.flags {
			used[verb.tool+" "+flag] = true
			if !sourced(rows, verb.tool, verb.verb, flag) {
				t.Errorf("the usage of %s %s has %s: testdata/argv.txt has no source for it", verb.tool, verb.verb, flag)
			}
		}
	}
	for _, r := range rows {
		for _, flag := range r.flags {
			if !used[r.tool+" "+flag] && r.verb != "status_bar" && r.tool != "idb_companion" { // both put the dashes on names
				t.Errorf("testdata/argv.txt has %s %s %s, which no code has", r.tool, r.verb, flag)
			}
		}
	}
}

// toolVerb is a verb of a virtual tool, with the flags that its own help names.
type toolVerb struct {
	tool, verb string
	flags      []string
}

// namedFlags matches the flags in a usage.
var namedFlags = regexp.MustCompile(`(?:^|[\s\[(|,])(--?[A-Za-z][A-Za-z0-9-]*)`)

// verbsOfTools asks the virtual tools for their verbs and usages.
func verbsOfTools(t *testing.T) (all []toolVerb) {
	t.Helper()
	x := argvXcode(t)
	add := func(tool, verb, usage string) {
		v := toolVerb{tool: tool, verb: verb}
		for _, m := range namedFlags.FindAllStringSubmatch(usage, -1) {
			if m[1] != "-bcd" { // three letters
				v.flags = append(v.flags, m[1])
			}
		}
		all = append(all, v)
	}
	for line := range strings.Lines(x.run("simctl", "help")) {
		if verb, _, is := strings.Cut(strings.TrimPrefix(line, "\t"), " "); is && strings.HasPrefix(line, "\t") {
			_, usage, _ := strings.Cut(x.run("simctl", "help", verb), "Usage: ")
			add("simctl", verb, usage)
		}
	}
	for line := range strings.Lines(x.run("xcresulttool", "--help")) {
		if words, usage, is := strings.Cut(strings.TrimSpace(line), " -"); is && strings.HasPrefix(line, "  ") {
			verb := regexp.MustCompile(`( \[| <).*`).ReplaceAllString(words, "")
			add("xcresulttool", verb, words[len(verb):]+" -"+usage)
		}
	}
	for line := range strings.Lines(x.run("devicectl", "help")) {
		if verb, _, is := strings.Cut(strings.TrimSpace(line), "   "); is && strings.HasPrefix(line, "  ") {
			add("devicectl", verb, x.run("devicectl", append(strings.Fields(verb), "--help")...))
		}
	}
	if len(all) < 60 {
		t.Errorf("%d verbs, want at least 60", len(all))
	}
	return all
}

// devicectlWords are the words that verbs of devicectl need.
var devicectlWords = map[string]string{
	"device info files": "--domain-type temporary", "device copy from": "--domain-type temporary --source a --destination b",
	"device install app": "App.app", "device uninstall app": "com.example", "device process terminate": "--pid 1",
}

// argvBench is a virtual Xcode in this process with a booted simulator.
type argvBench struct {
	t *testing.T
	*virtualxcode.InProcess
	dir string
}

func argvXcode(t *testing.T) *argvBench {
	t.Helper()
	p, err := virtualxcode.NewInProcess(virtualxcode.InProcessOptions{Agent: scheme})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return &argvBench{t, p, t.TempDir()}
}

// call runs a tool.
func (x *argvBench) call(tool string, args ...string) (stdout, stderr string, exit int) {
	var out, errs bytes.Buffer
	exit = x.Play(x.t.Context(), tool, virtualxcode.Call{Args: args, Dir: x.dir, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	return out.String(), errs.String(), exit
}

func (x *argvBench) run(tool string, args ...string) string {
	x.t.Helper()
	out, errs, exit := x.call(tool, args...)
	if exit != 0 {
		x.t.Fatalf("%s %q: exit %d\n%s", tool, args, exit, errs)
	}
	return out
}

// TestVerbsAcceptOnlySourcedFlags gives each flag of a tool to each of its verbs: a verb accepts it only if the table has it for that verb.
func TestVerbsAcceptOnlySourcedFlags(t *testing.T) {
	const phone = "00008140-000A61C23E04801C"
	x, rows := argvXcode(t), argvTable(t)
	x.run("simctl", "boot", "iPhone 16 Pro")
	st, _, err := x.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	off := st.Devices[slices.IndexFunc(st.Devices, func(d service.Device) bool { return d.State != "Booted" })].UDID
	type probe struct{ tool, verb, before, after string }
	probes := []probe{
		{"simctl", "launch", "simctl launch", "booted com.example.none"}, {"simctl", "spawn", "simctl spawn", "booted true"},
		{"simctl", "list", "simctl list", ""}, {"simctl", "runtime", "simctl runtime list", ""},
		{"simctl", "diagnose", "simctl diagnose --no-archive --output=" + t.TempDir(), ""},
		{"simctl", "io", "simctl io booted screenshot", "a.png"}, {"simctl", "io", "simctl io " + off + " recordVideo", "a.mov"},
		{"simctl", "location", "simctl location booted start", "1,1 2,2"}, {"simctl", "status_bar", "simctl status_bar booted override", ""},
		{"log", "show", "simctl spawn booted log show", ""}, {"xccov", "view", "xccov view", "R.xcresult"},
		{"xccov", "diff", "xccov diff --json", "A.xcresult B.xcresult"},
	}
	for _, v := range verbsOfTools(t) {
		switch words := devicectlWords[v.verb]; {
		case v.tool == "xcresulttool":
			probes = append(probes, probe{v.tool, v.verb, "xcresulttool " + v.verb, "--path R.xcresult"})
		case v.tool == "devicectl" && strings.HasPrefix(v.verb, "device "):
			words += " --device " + phone
			fallthrough
		case v.tool == "devicectl":
			probes = append(probes, probe{v.tool, v.verb, "devicectl " + v.verb, words})
		}
	}
	for _, p := range probes {
		flags, useful := map[string]bool{}, false
		for _, r := range rows {
			for _, flag := range r.flags {
				if r.tool == p.tool {
					flags[flag] = true
				}
			}
		}
		for flag := range flags {
			accepted := false
			for _, form := range []string{flag, flag + " 1", flag + "=1"} {
				line := strings.Fields(p.before + " " + form + " " + p.after)
				_, errs, exit := x.call(line[0], line[1:]...)
				accepted = accepted || exit != 22 && exit != 64 || exit == 64 && !strings.Contains(errs, "Unknown option") &&
					!strings.Contains(errs, "unrecognized option") && p.tool != "xccov"
			}
			if accepted && !sourced(rows, p.tool, p.verb, flag) {
				t.Errorf("%s accepts %s: testdata/argv.txt has no source for it", p.before, flag)
			}
			useful = useful || accepted
		}
		if !useful {
			t.Errorf("%s accepts no flag at all", p.before)
		}
	}
}

// TestUnknownFlagIsRefused gives an invented flag to each verb of each tool: it refuses the line as wrong usage, with its own exit status,
// and does nothing.
func TestUnknownFlagIsRefused(t *testing.T) {
	const invented = "--no-such-flag"
	x := argvXcode(t)
	x.run("simctl", "boot", "iPhone 16 Pro")
	lines := map[string]int{ // a command line, and the tool's exit status of wrong usage
		"xcodebuild -version": 64, "xcodebuild -showsdks": 64, "xcrun --show-sdk-path": 64, "xcode-select -p": 1, "xctrace list devices": 2,
		"xccov view --report --json R.xcresult": 64, "xccov diff --json A.xcresult B.xcresult": 64, "sips -Z 10 a.png": 13,
		"open -n a.app": 1, "networksetup -listallnetworkservices": 4, "networksetup -getwebproxy Wi-Fi": 4,
		"route -n get default": 64, "scutil --nc list": 64,
		"axe list-simulators": 64, "idb list-targets": 2, "defaults domains": 255, "log show --last 1m": 64,
		"simctl io booted enumerate": 22, "simctl io booted screenshot a.png": 22, "simctl status_bar booted clear": 22,
		"simctl status_bar booted list": 22, "simctl location booted clear": 22, "simctl location booted list": 22,
		"simctl location booted run Apple": 22, "simctl location booted set 1,2": 22, "simctl keychain booted reset": 22,
		"simctl ui booted appearance": 22, "simctl ui booted appearance dark": 22, "simctl runtime list": 22, "simctl list devices": 22,
		"simctl bootstatus booted": 22, "simctl privacy booted reset all com.example": 22, "simctl diagnose -b": 22,
		"simctl delete all": 22, "simctl erase all": 22, "simctl addmedia booted": 22, "simctl shutdown all": 22,
	}
	free := map[string]bool{"launch": true, "spawn": true, "help": true} // and the verbs that the lines have
	for line := range lines {
		if verb, is := strings.CutPrefix(line, "simctl "); is {
			free[strings.Fields(verb)[0]] = true
		}
	}
	for _, v := range verbsOfTools(t) {
		switch {
		case v.tool == "devicectl":
			lines["devicectl "+v.verb+" "+devicectlWords[v.verb]] = 64
		case v.tool == "xcresulttool":
			lines["xcresulttool "+v.verb+" --path R.xcresult"] = 64
		case v.tool == "simctl" && !free[v.verb]:
			lines["simctl "+v.verb+" booted a b c"] = 22
		}
	}
	before := x.run("simctl", "list", "-j")
	try := func(want int, words ...string) {
		t.Helper()
		if out, errs, exit := x.call(words[0], words[1:]...); exit != want {
			t.Errorf("%s: exit %d, want %d\n%s%s", strings.Join(words, " "), exit, want, out, errs)
		}
	}
	for line, want := range lines {
		try(want, append(strings.Fields(line), invented)...)
	}
	try(22, "simctl", "launch", invented, "booted", "com.example") // what follows the app is the app's own
	try(22, "simctl", "spawn", invented, "booted", "true")
	try(1, "simctl", "help", invented)
	if after := x.run("simctl", "list", "-j"); after != before {
		t.Errorf("a refused command line changed a device:\n%s", after)
	}
	if left, err := os.ReadDir(x.dir); err != nil || len(left) > 0 {
		t.Errorf("%v, files %v, want none", err, left)
	}
}
