package house_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
	"ios-agent/internal/surface/wording"
)

// Every hint of the product is said on every surface and with every set of tools; what it then tells to call can be called there.
func TestHintsCanBeFollowed(t *testing.T) {
	c := product.Catalogue()
	hints := hintsOfTheSource(t)
	for _, d := range product.Drivers() { // theirs are made of the table
		if d.Server != "" {
			hints["the driver "+d.Name] = (&device.UnreachableError{Driver: d.DriverSpec}).Fault().Hint
		}
	}
	if len(hints) < 100 {
		t.Fatalf("only %d hints found: the search is wrong", len(hints))
	}
	for where, hint := range hints {
		for _, command := range commandsIn(hint) {
			if !isUsers(command) && !isOperation(c, command) {
				t.Errorf("%s: the hint names `ios-agent %s`, which is neither an operation with those inputs nor a command of the user", where, command)
			}
		}
		if loose := regexp.MustCompile(`(^|[ (])--[a-z]`).FindString(outsideBackticks(hint)); loose != "" {
			t.Errorf("%s: a flag stands outside of backticks, so that it is told to those who have none: %s", where, hint)
		}
		for _, name := range bareNames.FindAllString(outsideMentions.ReplaceAllString(hint, ""), -1) {
			if _, err := c.Lookup(strings.Trim(name, "`")); err == nil {
				t.Errorf("%s: %s is named as a tool; not everybody has it under that name: %s", where, name, hint)
			}
		}
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
		for where, hint := range hints {
			text := said(voice, hint)
			where = where + " with " + how.Tools + " " + how.Workflows
			checkTools(t, c, o, where, text)
			if o.Manner.Alone {
				checkAlone(t, c, o, where, text)
			}
		}
	}
	for where, hint := range hints {
		checkRoutes(t, c, where, said(wording.Routes(c), hint))
	}
}

func said(v wording.Voice, hint string) string {
	e := op.Failed(fault.New(fault.Internal, "x").WithHint("%s", hint), op.Meta{})
	return v.Envelope(e, []byte(`{"udid":"KEPT"}`)).Error.Hint
}

var (
	bareNames       = regexp.MustCompile("`[a-z-]+`|[a-z]+_[a-z_]+")
	outsideMentions = regexp.MustCompile("`ios-agent [^`]*`|" + `[a-z_]+\(\{[^}]*\}\)|"[^"]*"`)

	quotations = regexp.MustCompile(`"(?:\\.|[^"\\])*"`)
	toolCalls  = regexp.MustCompile(`([a-z][a-z0-9_]*) \{`)
	routeCalls = regexp.MustCompile(`\b(GET|POST|PUT|DELETE) (/[^ ,;]*)`)
)

// checkAlone holds a text of a set that stands alone to it: no name in it is a tool of ours that the set lacks.
func checkAlone(t *testing.T, c *op.Catalogue, o mcp.Options, where, text string) {
	t.Helper()
	for _, name := range bareNames.FindAllString(outsideBackticks(quotations.ReplaceAllString(text, "")), -1) {
		_, err := c.Lookup(name)
		ours := err == nil || name == "find_tools" || name == "call_tool"
		if ours && !slices.ContainsFunc(canList(o), func(t mcp.Tool) bool { return t.Name == name }) {
			t.Errorf("%s: %s is named, which the set lacks: %s", where, name, text)
		}
	}
}

// canList are the tools of a set, and those that it lists when they are discovered.
func canList(o mcp.Options) []mcp.Tool {
	if o.Manner.Discovery == nil {
		return o.Tools
	}
	return o.Manner.Discovery.All
}

// checkTools holds every call in a text to the tools there are.
func checkTools(t *testing.T, c *op.Catalogue, offered mcp.Options, where, text string) {
	t.Helper()
	tools := canList(offered)
	for _, m := range toolCalls.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		var raw json.RawMessage
		if err := json.NewDecoder(strings.NewReader(text[m[1]-1:])).Decode(&raw); err != nil {
			t.Errorf("%s: %v: %s", where, err, text)
			continue
		}
		if name == "call_tool" && !offered.Manner.Alone {
			var in struct {
				Name      string
				Arguments map[string]any
			}
			if err := json.Unmarshal(raw, &in); err != nil {
				t.Errorf("%s: %s: %v", where, raw, err)
				continue
			}
			o, err := c.Lookup(in.Name)
			if err != nil || o.Hints.Has(op.Destructive) {
				t.Errorf("%s: call_tool does not reach %q: %s", where, in.Name, text)
			}
			checkInputs(t, o, in.Arguments, where)
			continue
		}
		if name == "find_tools" && !offered.Manner.Alone {
			continue
		}
		at := slices.IndexFunc(tools, func(tool mcp.Tool) bool { return tool.Name == name })
		if at < 0 {
			t.Errorf("%s: %s is not among the tools: %s", where, name, text)
			continue
		}
		var in map[string]any
		if err := json.Unmarshal(raw, &in); err != nil {
			t.Errorf("%s: %s: %v", where, raw, err)
		}
		checkInputs(t, tools[at].Op, in, where)
	}
	for _, flag := range regexp.MustCompile("--[a-z-]+").FindAllString(outsideBackticks(text), -1) {
		t.Errorf("%s: a model is told a flag, %s: %s", where, flag, text)
	}
}

func checkInputs(t *testing.T, o op.Op, in map[string]any, where string) {
	t.Helper()
	for name := range in {
		if !slices.ContainsFunc(o.Fields(), func(f op.Field) bool { return f.Name == name }) {
			t.Errorf("%s: %s does not take %s", where, o.Name, name)
		}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Read(raw); err != nil && !filledIn.MatchString(err.Error()) {
		t.Errorf("%s: %s does not read %s: %v", where, o.Name, raw, err)
	}
}

// filledIn is the refusal of what stands for a value that a format fills in, or of one that is left to the reader.
var filledIn = regexp.MustCompile(`"X"|"[A-Z_]+"|is required|: give |absolute path`)

func checkRoutes(t *testing.T, c *op.Catalogue, where, text string) {
	t.Helper()
	for _, m := range routeCalls.FindAllStringSubmatch(text, -1) {
		path, _, _ := strings.Cut(m[2], "?")
		listed := m[1]+" "+path == "GET /openapi.json" // a document of the daemon, not an operation
		if !listed && !slices.ContainsFunc(c.Ops(), func(o op.Op) bool { return o.Method() == m[1] && fitsPath(o.Path(), path) }) {
			t.Errorf("%s: there is no route %s %s: %s", where, m[1], path, text)
		}
	}
}

func fitsPath(pattern, path string) bool {
	return slices.EqualFunc(strings.Split(pattern, "/"), strings.Split(path, "/"), func(place, part string) bool {
		return place == part || strings.HasPrefix(place, "{")
	})
}

func commandsIn(hint string) (commands []string) {
	for _, m := range regexp.MustCompile("`ios-agent ([^`]*)`").FindAllStringSubmatch(hint, -1) {
		commands = append(commands, m[1])
	}
	return commands
}

func outsideBackticks(text string) string {
	return regexp.MustCompile("`[^`]*`").ReplaceAllString(text, "")
}

// isUsers tells commands of the program that are no operations.
func isUsers(command string) bool {
	first, _, _ := strings.Cut(command, " ")
	return slices.Contains([]string{"help", "daemon", "virtual", "key", "init", "self", "trust", "%s", "connect", "X"}, first)
}

func isOperation(c *op.Catalogue, command string) bool {
	voice := wording.Tools(c, wording.Offer{Other: "call", Destructive: true, Find: "find"})
	return !strings.HasSuffix(said(voice, "`ios-agent "+command+"`"), "in a shell")
}

// hintsOfTheSource are the texts given to WithHint and those of the codes' table, by their place; what a format fills in is X.
func hintsOfTheSource(t *testing.T) map[string]string {
	t.Helper()
	hints := map[string]string{}
	for _, code := range fault.Codes() {
		hints[string(code)] = code.Hint()
	}
	files := token.NewFileSet()
	err := filepath.WalkDir("../../internal", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && slices.Contains(onlyInAShell, path) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is || len(call.Args) == 0 {
				return true
			}
			if name, is := call.Fun.(*ast.SelectorExpr); is && name.Sel.Name == "WithHint" {
				hints[files.Position(call.Args[0].Pos()).String()] = filled(literal(call.Args[0]))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return hints
}

// onlyInAShell are the packages whose hints nobody else reads.
var onlyInAShell = []string{
	"../../internal/virtualxcode", "../../internal/daemon", "../../internal/surface/cli", "../../internal/client/connect",
	"../../internal/client/demo", "../../internal/client/setup",
}

// filled has something in the place of what a format fills in: a ref after an @.
func filled(format string) string {
	return strings.ReplaceAll(placeholders.ReplaceAllString(format, "X"), "@X", "@e1")
}

var placeholders = regexp.MustCompile(`%[-+#0-9.]*[a-z]`)

func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	}
	return ""
}
