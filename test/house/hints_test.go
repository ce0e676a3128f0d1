package house_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
	"ios-agent/internal/surface/wording"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// Every fact in the source names what exists, and every call that a hint suggests is accepted when it is made.
func TestHintsCanBeFollowed(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("s", drivertest.Conformance)
	files, c := h.Files(), h.Product.Catalogue
	facts := house.SourceOfHints(t).Facts
	if len(facts) < 100 {
		t.Fatalf("%d facts found in the source, want some hundred: the search is wrong", len(facts))
	}
	called := map[string]bool{}
	for where, f := range facts {
		switch f.Kind {
		case hint.Shell:
			if !isCommand(f.Name) {
				t.Errorf("%s: %q is not a command of the program", where, f.Name)
			}
			continue
		case hint.Input:
			if !slices.ContainsFunc(c.Ops(), func(o op.Op) bool { return takes(o, f.Name) }) && !flagOfCommand(t, f.Name) {
				t.Errorf("%s: no operation or command has an input %q", where, f.Name)
			}
			continue
		}
		o, err := c.Lookup(f.Op)
		if err != nil {
			t.Errorf("%s: unknown operation %q", where, f.Op)
			continue
		}
		for name := range f.Input {
			if name == house.Unknown { // the table of drivers names it
				delete(f.Input, name)
			} else if !takes(o, name) {
				t.Errorf("%s: %s has no input %q", where, f.Op, name)
			}
		}
		input := filledIn(files, o, f.Input)
		raw, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Read(raw); err != nil && f.Kind == hint.Call {
			t.Errorf("%s: %s refuses %s: %v", where, f.Op, raw, err)
		}
		raw = inNoTime(t, o, input)
		if key := f.Op + string(raw); f.Kind == hint.Call && canBeTried(o) && !called[key] {
			called[key] = true
			if e := h.Call("s", f.Op, json.RawMessage(raw)); e.Error != nil && unfollowable[e.Error.Code] {
				t.Errorf("%s: calling %s %s: %s", where, f.Op, raw, e.Error.Message)
			}
		}
	}
	t.Logf("%d facts, %d calls made", len(facts), len(called))
}

// unfollowable are the faults of a call that nobody could make.
var unfollowable = map[fault.Code]bool{fault.UnknownOperation: true, fault.Internal: true}

// canBeTried reports whether a test can make a call: a stream has no end, and what runs a program of the caller's choice has none here.
func canBeTried(o op.Op) bool {
	return !o.Streams() && !o.Hints.Has(op.Executes) && !slices.Contains([]string{"erase_device", "erase_sims", "shutdown_device"}, o.Name)
}

// isCommand reports whether a line is a command of the program that no operation stands for.
func isCommand(line string) bool {
	if strings.HasPrefix(line, "xcrun devicectl manage pair ") || strings.HasPrefix(line, "IOS_AGENT_HOME=") { // Apple's, and another home's
		return true
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(line, "ios-agent "), " ")
	return strings.HasPrefix(line, "ios-agent ") && slices.Contains([]string{
		"help", "daemon", "virtual", "key", "init", "self", "trust", "connect", "mcp", "webdriver", "demo",
		house.Unknown, // a verb that the call names
	}, first)
}

// flagOfCommand reports whether a command of the program outside the catalogue, such as connect, has a flag for an input.
func flagOfCommand(t *testing.T, name string) bool {
	t.Helper()
	files, err := filepath.Glob("../../cmd/ios-agent/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("the commands: %d files, %v", len(files), err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		source, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(source), strconv.Quote(op.Field{Name: name}.Flag()))
	})
}

func takes(o op.Op, input string) bool {
	return input == "session" || slices.ContainsFunc(o.Fields(), func(f op.Field) bool { return f.Name == input })
}

// filledIn is an input with values where the source has words to replace or values that only a run knows.
func filledIn(files house.Files, o op.Op, input map[string]any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, input)
	for _, f := range o.Fields() {
		value, named := all[f.Name]
		if text, is := value.(string); named && is && (blank.MatchString(text) || text == house.Unknown) || value == house.Unknown {
			all[f.Name] = files.Value(f)
		}
	}
	return all
}

// inNoTime is the input of a call that waits for nothing: its times are as short as they may be.
func inNoTime(t *testing.T, o op.Op, input map[string]any) []byte {
	t.Helper()
	for _, f := range o.Fields() {
		if f.Unit > 0 {
			input[f.Name] = 0
			if f.Min != nil {
				input[f.Name] = *f.Min
			}
		}
	}
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// blank is a word that stands for a value: NAME, FILE:LINE, <udid>.
var blank = regexp.MustCompile(`^@?[A-Z][A-Z0-9_:./ -]*(?:\.app)?$|^…?<.*>$`)

// Every hint is said on every surface and to every set of tools, and then names only what that surface and set have.
func TestHintsNameToolsOfTheirSet(t *testing.T) {
	t.Parallel()
	c := product.Catalogue()
	hints := house.SourceOfHints(t).Hints
	for _, code := range fault.Codes() {
		hints[string(code)] = code.Hint()
	}
	for _, d := range product.Drivers() { // their hints come from the table of drivers
		if d.Server != "" {
			hints["the driver "+d.Name] = (&device.UnreachableError{Driver: d.DriverSpec}).Fault().Hint
		}
	}
	if len(hints) < 300 {
		t.Fatalf("%d hints found in the source, want some hundred: the search is wrong", len(hints))
	}
	for _, how := range []product.Serving{
		{Tools: "core"}, {Tools: "xcode"}, {Tools: "xcode", Workflows: "swift-package"}, {Tools: "xcode", Dynamic: true}, {Tools: "quern"},
		{Tools: "desktop"}, {Tools: "simulator"}, {Tools: "device"}, {Tools: "core,quern"}, {Tools: "all"},
	} {
		o, err := how.Options(c)
		if err != nil {
			t.Fatal(err)
		}
		voice := mcp.Voice(o)
		for where, text := range hints {
			checkTools(t, c, o, fmt.Sprintf("%s with %s %s", where, how.Tools, how.Workflows), said(voice, text))
		}
	}
	for where, text := range hints {
		checkRoutes(t, c, where, said(wording.Routes(c), text))
		checkOnlySeesHelp(t, where, said(wording.Shell(c), text))
	}
}

func said(v wording.Voice, text string) string {
	e := op.Failed(fault.New(fault.Internal, "x").WithHint("%s", text), op.Meta{})
	return v.Envelope(e, []byte(`{"udid":"KEPT"}`)).Error.Hint
}

// checkOnlySeesHelp refuses a hint that only sends its reader to a help text: it is no action.
func checkOnlySeesHelp(t *testing.T, where, text string) {
	t.Helper()
	if onlyHelp.MatchString(text) {
		t.Errorf("%s: the hint only says to read the help, want an action: %s", where, text)
	}
}

var onlyHelp = regexp.MustCompile("^(?:see |read |try )?`ios-agent [a-z -]+ --help`(?: (?:shows|lists|says|explains|tells)[^;]*)?$")

var (
	toolCalls  = regexp.MustCompile(`([a-z][a-z0-9_]*) \{`)
	routeCalls = regexp.MustCompile(`\b(GET|POST|PUT|DELETE) (/[^ ,;]*)`)
	commands   = regexp.MustCompile("`ios-agent ([^`]*)`")
	quoted     = regexp.MustCompile("`[^`]*`")
	bareFlags  = regexp.MustCompile(`(?:^|[ (])--[a-z-]+`)
)

// checkTools holds a text to a set of tools: calls of its own tools with inputs that they take, no flag, and no command but a person's.
func checkTools(t *testing.T, c *op.Catalogue, offered mcp.Options, where, text string) {
	t.Helper()
	tools := offered.Tools
	if offered.Manner.Discovery != nil {
		tools = offered.Manner.Discovery.All
	}
	if hint.Has(text) {
		t.Errorf("%s: a fact is not said: %s", where, text)
	}
	if flag := bareFlags.FindString(quoted.ReplaceAllString(text, "")); flag != "" {
		t.Errorf("%s: a model reads a flag, %s: %s", where, flag, text)
	}
	for _, m := range commands.FindAllStringSubmatch(text, -1) {
		if !isCommand("ios-agent " + m[1]) {
			t.Errorf("%s: a model reads the command line %q: %s", where, m[0], text)
		}
	}
	for _, m := range toolCalls.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		var raw json.RawMessage
		if err := json.NewDecoder(strings.NewReader(text[m[1]-1:])).Decode(&raw); err != nil {
			t.Errorf("%s: %v: %s", where, err, text)
			continue
		}
		var input map[string]any
		if err := json.Unmarshal(raw, &input); err != nil {
			t.Errorf("%s: %s: %v", where, raw, err)
			continue
		}
		switch at := slices.IndexFunc(tools, func(tool mcp.Tool) bool { return tool.Name == name }); {
		case at >= 0:
			checkInputs(t, tools[at].Op, input, where)
		case name == "call_tool" && !offered.Manner.Alone:
			o, err := c.Lookup(fmt.Sprint(input["name"]))
			if err != nil || o.Hints.Has(op.Destructive) {
				t.Errorf("%s: call_tool does not reach %v: %s", where, input["name"], text)
				continue
			}
			arguments, _ := input["arguments"].(map[string]any)
			checkInputs(t, o, arguments, where)
		case name == "find_tools" && !offered.Manner.Alone:
		default:
			t.Errorf("%s: %s is not among the tools: %s", where, name, text)
		}
	}
}

func checkInputs(t *testing.T, o op.Op, input map[string]any, where string) {
	t.Helper()
	for name := range input {
		if !takes(o, name) {
			t.Errorf("%s: %s has no input %q", where, o.Name, name)
		}
	}
}

func checkRoutes(t *testing.T, c *op.Catalogue, where, text string) {
	t.Helper()
	for _, m := range routeCalls.FindAllStringSubmatch(text, -1) {
		path, _, _ := strings.Cut(m[2], "?")
		document := m[1]+" "+path == "GET /openapi.json" // of the daemon, not an operation
		if !document && !slices.ContainsFunc(c.Ops(), func(o op.Op) bool { return o.Method() == m[1] && fitsPath(o.Path(), path) }) {
			t.Errorf("%s: unknown route %s %s: %s", where, m[1], path, text)
		}
	}
}

func fitsPath(pattern, path string) bool {
	return slices.EqualFunc(strings.Split(pattern, "/"), strings.Split(path, "/"), func(place, part string) bool {
		return place == part || strings.HasPrefix(place, "{")
	})
}
