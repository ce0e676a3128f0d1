// Package arch_test is the map of the house: which package may import which, and the rules every package keeps. A new
// arrow is added here, with its reason in the commit.
package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "ios-agent/"

// arrows lists, bottom up, what of ours a package may import. cmd/ios-agent wires everything and is not listed.
var arrows = map[string]string{
	"internal/fault":     "",
	"internal/nearest":   "",
	"internal/words":     "",
	"internal/wholefile": "",
	"internal/host":      "",
	"internal/logcap":    "host",
	"internal/self":      "",
	"internal/agentwire": "",
	"internal/picture":   "",
	"internal/apple":     "",
	"internal/op":        "fault nearest words",
	"internal/feed":      "fault op",
	"internal/home":      "fault",
	"internal/defaults":  "apple/xcodeargs fault nearest",
	"internal/resident":  "host",
	"internal/ui":        "fault nearest",
	"internal/ui/uiread": "fault parse ui",
	"internal/parse":     "fault nearest",
	"internal/device":    "fault ui",
	"internal/session":   "defaults ui",
	"internal/lease":     "",
	"internal/store":     "",
	"internal/hostlock":  "lease",
	"internal/pool":      "device fault lease nearest",
	"internal/act":       "device fault session ui",

	"internal/lease/leasedb":       "lease store",
	"internal/agentwire/agenttest": "agentwire",
	"internal/apple/pbxproj":       "",

	"internal/driver/drivertest":         "device fault ui",
	"internal/driver/xctest/agentsource": "apple/pbxproj apple/xcodebuild wholefile",

	"internal/apple/lines":        "",
	"internal/apple/pattern":      "",
	"internal/apple/brief":        "",
	"internal/apple/jsondoc":      "",
	"internal/apple/samples":      "",
	"internal/apple/xcodeargs":    "",
	"internal/apple/appbundle":    "",
	"internal/apple/destinations": "apple/brief apple/lines apple/pattern",
	"internal/apple/buildlog":     "apple/brief apple/destinations apple/lines apple/pattern",

	"internal/apple/xcresult":  "apple/brief apple/jsondoc",
	"internal/apple/settings":  "apple/brief apple/jsondoc apple/lines apple/pattern",
	"internal/apple/schemes":   "apple/brief apple/jsondoc apple/lines apple/pattern",
	"internal/apple/sdks":      "apple/brief apple/jsondoc apple/lines apple/pattern",
	"internal/apple/devicectl": "apple/brief apple/jsondoc apple/lines apple/pattern host",
	"internal/apple/toolerror": "apple/brief apple/destinations apple/jsondoc apple/lines apple/pattern",
	"internal/apple/crash":     "apple/brief apple/jsondoc apple/lines apple/pattern",
	"internal/apple/oslog":     "apple/brief apple/jsondoc apple/lines apple/pattern",

	"internal/apple/simctl":     "apple/brief apple/jsondoc apple/pattern host",
	"internal/scaffold":         "apple/pbxproj",
	"internal/apple/swiftpm":    "host",
	"internal/apple/xcodebuild": "host",
	"internal/driver/xctest":    "agentwire apple apple/crash apple/simctl apple/xcodebuild device fault host ui wholefile",

	"internal/build": "apple apple/brief apple/buildlog apple/destinations apple/lines apple/schemes apple/settings apple/toolerror apple/xcodeargs apple/xcodebuild " +
		"apple/xcresult fault host nearest",
	"internal/ops": "act apple apple/appbundle apple/brief apple/buildlog apple/crash apple/destinations apple/devicectl apple/oslog apple/schemes " +
		"apple/sdks apple/settings apple/simctl apple/swiftpm apple/toolerror apple/xcresult build defaults device fault feed host lease logcap nearest op parse " +
		"picture pool scaffold session ui ui/uiread",
	"internal/surface/cli":             "fault nearest op",
	"internal/surface/rest":            "fault op session",
	"internal/surface/mcp":             "fault nearest op",
	"internal/surface/mcp/conformance": "fault op surface/mcp",
	"internal/surface/reference":       "fault op",
	"internal/daemon":                  "fault op resident self surface/rest wholefile",
	"internal/demo":                    "fault op ui",
	"internal/connect":                 "fault host nearest op",
	"internal/setup":                   "fault home op ui",

	"internal/virtualxcode/mark":      "",
	"internal/virtualxcode/app":       "",
	"internal/virtualxcode/applejson": "",
	"internal/virtualxcode/swiftargs": "",
	"internal/virtualxcode/oldplist":  "virtualxcode/applejson",
	"internal/virtualxcode/axtree":    "virtualxcode/world",
	"internal/virtualxcode/hid":       "virtualxcode/world",
	"internal/virtualxcode/idb": "virtualxcode/app virtualxcode/applejson virtualxcode/axtree virtualxcode/hid virtualxcode/mark " +
		"virtualxcode/render virtualxcode/world",
	"internal/virtualxcode/xctrace":   "virtualxcode/mark virtualxcode/world",
	"internal/virtualxcode/plists":    "virtualxcode/applejson virtualxcode/mark virtualxcode/oldplist wholefile",
	"internal/virtualxcode/open":      "host virtualxcode/mark wholefile",
	"internal/virtualxcode/devicectl": "virtualxcode/app virtualxcode/applejson virtualxcode/mark virtualxcode/swiftargs virtualxcode/world",
	"internal/virtualxcode/apps":      "virtualxcode/app",
	"internal/virtualxcode/world":     "virtualxcode/app virtualxcode/mark",
	"internal/virtualxcode/render":    "virtualxcode/world",
	"internal/virtualxcode/web":       "virtualxcode/world",
	"internal/virtualxcode/agent":     "agentwire virtualxcode/world",
	"internal/virtualxcode/simctl":    "virtualxcode/app virtualxcode/applejson virtualxcode/mark virtualxcode/oldplist virtualxcode/plists virtualxcode/render virtualxcode/world",
	"internal/virtualxcode/service":   "resident virtualxcode/agent virtualxcode/axe virtualxcode/devicectl virtualxcode/idb virtualxcode/render virtualxcode/simctl virtualxcode/world wholefile",
	"internal/virtualxcode/axe": "virtualxcode/applejson virtualxcode/axtree virtualxcode/hid virtualxcode/mark virtualxcode/render " +
		"virtualxcode/swiftargs virtualxcode/world words",
	"internal/virtualxcode/sips":       "virtualxcode/mark",
	"internal/virtualxcode/project":    "apple/pbxproj",
	"internal/virtualxcode/xcresult":   "virtualxcode/applejson virtualxcode/mark",
	"internal/virtualxcode/xcodebuild": "virtualxcode/applejson virtualxcode/mark virtualxcode/project virtualxcode/service virtualxcode/world virtualxcode/xcresult",
	"internal/virtualxcode": "host resident virtualxcode/apps virtualxcode/axe virtualxcode/devicectl virtualxcode/idb virtualxcode/mark " +
		"virtualxcode/open virtualxcode/plists virtualxcode/service virtualxcode/simctl virtualxcode/sips virtualxcode/web virtualxcode/world " +
		"virtualxcode/xcodebuild virtualxcode/xcresult virtualxcode/xctrace",
}

// source is one package as it lies on disk.
type source struct {
	imports map[string]bool
	doc     bool
	files   []*ast.File
	names   []string
}

func packages(t *testing.T) map[string]*source {
	t.Helper()
	found := map[string]*source{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "." {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		p := found[dir]
		if p == nil {
			p = &source{imports: map[string]bool{}}
			found[dir] = p
		}
		p.files, p.names = append(p.files, file), append(p.names, path)
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		p.doc = p.doc || file.Doc != nil
		for _, i := range file.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			p.imports[name] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestArrowsPointDown(t *testing.T) {
	for dir, p := range packages(t) {
		if !strings.HasPrefix(dir, "internal/") || len(p.imports) == 0 && !p.doc {
			continue
		}
		allowed, known := arrows[dir]
		if !known {
			t.Errorf("%s is not on the map", dir)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(p.imports)) {
			ours, is := strings.CutPrefix(name, module+"internal/")
			if is && !slices.Contains(strings.Fields(allowed), ours) {
				t.Errorf("%s must not import %s", dir, ours)
			}
		}
	}
}

func TestOnlyHostExecutes(t *testing.T) {
	for dir, p := range packages(t) {
		if p.imports["os/exec"] && dir != "internal/host" {
			t.Errorf("%s imports os/exec: programs are run by internal/host", dir)
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for dir, p := range packages(t) {
		if len(p.imports) > 0 && !p.doc {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

func TestNoInitAndNoSleepingTests(t *testing.T) {
	for _, p := range packages(t) {
		for i, file := range p.files {
			test := strings.HasSuffix(p.names[i], "_test.go")
			synctest := slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"testing/synctest"` })
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					if n.Name.Name == "init" && n.Recv == nil {
						t.Errorf("%s has an init function", p.names[i])
					}
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && test && !synctest && x.Name == "time" && n.Sel.Name == "Sleep" {
						t.Errorf("%s sleeps: a test waits for an event", p.names[i])
					}
				}
				return true
			})
		}
	}
}

// TestTheMapHasNoDeadStreets keeps the table true when packages go or arrows fall.
func TestTheMapHasNoDeadStreets(t *testing.T) {
	found := packages(t)
	for dir, allowed := range arrows {
		p := found[dir]
		if p == nil {
			t.Errorf("%s is on the map but not in the tree", dir)
			continue
		}
		for name := range strings.FieldsSeq(allowed) {
			if !p.imports[module+"internal/"+name] {
				t.Errorf("%s may import %s but does not", dir, name)
			}
		}
	}
}
