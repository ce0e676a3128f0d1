// Package arch_test checks the rules of the whole tree: which package may import which, and the rules that every package keeps. The tables
// in this file list every allowed import between packages; a change that needs a new import adds it here, with the reason in the commit.
// Other files check documents, wording, drivers, security rules and the names of files.
package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

const module = "ios-agent/"

// arrows lists, bottom up, what of ours a package may import. cmd/ios-agent wires everything and is not listed.
var arrows = map[string]string{
	"internal/hint":          "",
	"internal/fault":         "fault/mask hint",
	"internal/fault/mask":    "",
	"internal/fault/nearest": "",

	"internal/machine/docfile":     "machine/regularfile",
	"internal/machine/freeport":    "",
	"internal/machine/home":        "fault machine/private",
	"internal/machine/host":        "fault fault/mask machine/private machine/processes",
	"internal/machine/outfile":     "fault machine/wholefile",
	"internal/machine/pause":       "",
	"internal/machine/private":     "fault",
	"internal/machine/processes":   "machine/regularfile",
	"internal/machine/regularfile": "",
	"internal/machine/resident":    "machine/private machine/processes",
	"internal/machine/secrets":     "fault fault/mask machine/regularfile machine/wholefile",
	"internal/machine/self":        "fault machine/private machine/regularfile machine/wholefile",
	"internal/machine/store":       "fault machine/regularfile machine/wholefile",
	"internal/machine/trust":       "fault machine/private machine/regularfile machine/wholefile",
	"internal/machine/wholefile":   "",

	"internal/text/brief":      "",
	"internal/text/lazyregexp": "",
	"internal/text/oneline":    "",
	"internal/text/parse":      "fault fault/nearest machine/regularfile",
	"internal/text/shorter":    "",
	"internal/text/terms":      "",
	"internal/text/words":      "",

	"internal/op":         "fault fault/mask fault/nearest text/lazyregexp text/oneline text/shorter text/words",
	"internal/op/answers": "machine/wholefile",
	"internal/op/feed":    "fault op",
	"internal/op/recent":  "",

	"internal/apple":              "",
	"internal/apple/appbundle":    "apple/bundleid machine/docfile machine/regularfile",
	"internal/apple/atos":         "machine/host machine/regularfile text/lazyregexp",
	"internal/apple/buildlog":     "apple/destinations apple/lines text/brief text/lazyregexp",
	"internal/apple/bundleid":     "text/lazyregexp",
	"internal/apple/crash":        "apple/jsondoc apple/lines text/brief text/lazyregexp",
	"internal/apple/destinations": "apple/lines text/brief text/lazyregexp",
	"internal/apple/devicectl":    "apple/jsondoc apple/lines machine/host text/brief text/lazyregexp",
	"internal/apple/jsondoc":      "",
	"internal/apple/kinds": "apple/buildlog apple/crash apple/destinations apple/devicectl apple/oslog apple/schemes apple/sdks " +
		"apple/settings apple/simctl apple/toolerror apple/xcresult fault text/brief text/oneline text/parse",
	"internal/apple/lines":        "",
	"internal/apple/networksetup": "apple machine/host",
	"internal/apple/oslog":        "apple/jsondoc apple/lines text/brief text/lazyregexp",
	"internal/apple/pbxproj":      "",
	"internal/apple/reports":      "apple/crash machine/regularfile text/lazyregexp",
	"internal/apple/schemes":      "apple/jsondoc apple/lines text/brief text/lazyregexp",
	"internal/apple/sdks":         "apple/jsondoc apple/lines text/brief text/lazyregexp",
	"internal/apple/settings":     "apple/jsondoc apple/lines text/brief text/lazyregexp",
	"internal/apple/simctl":       "apple/jsondoc machine/docfile machine/host text/brief text/lazyregexp",
	"internal/apple/swiftpm":      "machine/host",
	"internal/apple/toolerror":    "apple/destinations apple/jsondoc apple/lines text/brief text/lazyregexp",
	"internal/apple/toolfault":    "fault machine/host",
	"internal/apple/xcodeargs":    "",
	"internal/apple/xcodebuild":   "machine/host text/lazyregexp",
	"internal/apple/xcresult":     "apple/jsondoc text/brief",
	"internal/apple/xctrace":      "apple/lines machine/host text/lazyregexp",

	"internal/config": "apple/xcodeargs fault fault/nearest machine/docfile text/lazyregexp",

	"internal/ui":                 "fault fault/nearest text/lazyregexp",
	"internal/ui/audit":           "text/brief text/lazyregexp ui",
	"internal/ui/audit/auditfile": "fault machine/docfile ui/audit",
	"internal/ui/flat":            "ui",
	"internal/ui/outline":         "apple/bundleid ui",
	"internal/ui/picture":         "ui",
	"internal/ui/summary":         "text/brief ui ui/flat",
	"internal/ui/uiread":          "fault text/lazyregexp text/parse ui ui/outline",

	"internal/desktop":         "fault fault/nearest machine/pause ui",
	"internal/desktop/display": "fault machine/host",
	"internal/desktop/process": "fault machine/host machine/processes",

	"internal/device":                  "apple/bundleid fault machine/pause ui",
	"internal/device/act":              "device device/session fault machine/pause text/oneline ui ui/outline",
	"internal/device/appref":           "device device/pool device/session/complete fault fault/nearest op",
	"internal/device/choice":           "config device fault",
	"internal/device/film":             "device fault",
	"internal/device/lease":            "",
	"internal/device/lease/hostlock":   "device/lease",
	"internal/device/logcap":           "device",
	"internal/device/pool":             "device device/lease fault fault/nearest",
	"internal/device/session":          "config ui",
	"internal/device/session/complete": "config device device/session fault op",
	"internal/device/session/naming":   "device/session op",
	"internal/device/statedb":          "device/lease device/session machine/store machine/wholefile",
	"internal/device/steps":            "fault op",

	"internal/telemetry":        "fault machine/regularfile machine/store telemetry/lineindex telemetry/linetext text/brief",
	"internal/telemetry/builds": "apple/buildlog telemetry",
	"internal/telemetry/crashes": "apple/atos apple/crash apple/reports fault machine/host machine/private machine/regularfile " +
		"machine/wholefile telemetry text/brief text/lazyregexp",
	"internal/telemetry/lineindex": "telemetry/linetext",
	"internal/telemetry/linetext":  "",
	"internal/telemetry/steplines": "device/session device/steps op op/recent telemetry text/brief ui",
	"internal/telemetry/streams":   "apple/oslog device fault machine/regularfile machine/wholefile telemetry",
	"internal/telemetry/whose":     "device/appref device/pool device/steps fault telemetry ui",

	"internal/network/capture": "machine/regularfile network/flow network/spool telemetry text/brief",
	"internal/network/flow":    "fault/mask text/brief text/lazyregexp",
	"internal/network/hostproxy": "apple/networksetup apple/toolfault fault machine/host machine/processes machine/regularfile " +
		"machine/wholefile",
	"internal/network/mitm":    "fault machine/private machine/regularfile machine/wholefile network/flow",
	"internal/network/mock":    "fault fault/mask fault/nearest machine/docfile machine/regularfile network/flow network/pattern",
	"internal/network/pattern": "fault fault/nearest network/flow",
	"internal/network/proxy": "fault machine/host machine/regularfile machine/wholefile network/flow network/mitm network/mock " +
		"network/rules network/spool",
	"internal/network/rules":     "fault network/flow network/mock network/pattern",
	"internal/network/spool":     "network/flow",
	"internal/network/stepflows": "device/steps network/flow network/proxy op op/recent text/brief ui",
	"internal/network/whose":     "apple/appbundle machine/processes network/flow text/lazyregexp",

	"internal/xcode/builder": "apple apple/appbundle apple/buildlog apple/bundleid apple/destinations apple/lines apple/schemes " +
		"apple/settings apple/toolerror apple/toolfault apple/xcodeargs apple/xcodebuild apple/xcresult fault fault/nearest machine/home " +
		"machine/host machine/regularfile text/brief text/oneline",
	"internal/xcode/choose":       "config device device/pool fault text/brief xcode/builder",
	"internal/xcode/debugger":     "apple device fault machine/host machine/processes text/lazyregexp",
	"internal/xcode/macapp":       "apple apple/appbundle apple/toolfault fault fault/nearest machine/host machine/processes",
	"internal/xcode/scaffold":     "apple/pbxproj",
	"internal/xcode/swiftpackage": "apple/buildlog apple/swiftpm apple/toolfault fault machine/host text/oneline",
	"internal/xcode/toolcheck":    "apple apple/toolfault device fault machine/host",

	"internal/driver/agentwire": "",
	"internal/driver/appium":    "apple/appbundle device driver/wda driver/webdriver fault ui",
	"internal/driver/atspi":     "desktop driver/x11 fault machine/pause machine/processes machine/regularfile ui",
	"internal/driver/deskapp":   "desktop desktop/process device fault fault/nearest machine/processes ui",
	"internal/driver/devicectl": "apple apple/appbundle apple/devicectl apple/reports apple/toolfault apple/xctrace device " +
		"driver/stream fault fault/nearest machine/host",
	"internal/driver/idb": "apple apple/appbundle apple/simctl device driver/idbwire driver/stream fault machine/host network/whose ui " +
		"ui/uiread",
	"internal/driver/idbwire": "text/brief",
	"internal/driver/macax":   "desktop fault machine/host machine/pause machine/processes machine/regularfile ui",
	"internal/driver/stream":  "apple/simctl device fault machine/host",
	"internal/driver/x11":     "machine/regularfile",
	"internal/driver/usbmux":  "apple/reports device fault machine/docfile machine/wholefile text/lazyregexp",
	"internal/driver/wda": "apple apple/simctl apple/toolfault apple/xcodebuild device driver/webdriver fault machine/freeport " +
		"machine/host ui ui/uiread",
	"internal/driver/webdriver": "device fault network/whose text/brief ui",
	"internal/driver/xctest": "apple apple/appbundle apple/buildlog apple/crash apple/reports apple/simctl apple/toolfault " +
		"apple/xcodebuild device driver/agentwire driver/stream driver/xctest/agentsource fault machine/freeport machine/host " +
		"machine/wholefile text/brief text/lazyregexp ui",
	"internal/driver/xctest/agentsource": "apple/pbxproj apple/xcodebuild machine/wholefile",

	"internal/ops/access": "config desktop desktop/process device device/act device/appref device/choice device/pool device/session " +
		"device/session/complete device/session/naming fault op ops/target telemetry/streams ui ui/outline xcode/debugger",
	"internal/ops/agents": "device device/pool fault machine/regularfile op ops/access ops/target text/oneline",
	"internal/ops/apps": "device device/act device/appref device/pool device/session/complete fault op ops/access ops/target " +
		"telemetry/steplines text/oneline ui ui/outline xcode/macapp",
	"internal/ops/asked": "op",
	"internal/ops/builds": "device device/pool device/session/complete fault op op/recent ops/access ops/target telemetry telemetry/builds " +
		"text/brief text/oneline ui xcode/builder xcode/choose xcode/scaffold xcode/swiftpackage",
	"internal/ops/catalogue": "config desktop desktop/process device device/choice device/film device/logcap device/pool " +
		"device/session device/steps machine/secrets op op/answers op/feed ops/access ops/agents ops/apps ops/asked ops/builds ops/crashes " +
		"ops/debug ops/desktop ops/devices ops/journey ops/logs ops/network ops/pool ops/run ops/screen ops/session ops/settings ops/system " +
		"ops/touch ops/view/quern ops/view/strobe ops/view/xcode ops/wait telemetry telemetry/streams text/parse xcode/builder " +
		"xcode/debugger xcode/macapp xcode/swiftpackage xcode/toolcheck",
	"internal/ops/crashes": "device fault machine/outfile op ops/access ops/target telemetry/crashes text/brief text/oneline ui",
	"internal/ops/debug": "config desktop desktop/process device device/appref device/pool fault op ops/access " +
		"ops/target text/oneline xcode/debugger",
	"internal/ops/desktop": "desktop desktop/process device device/act device/pool device/session fault machine/outfile " +
		"machine/secrets op ops/access ops/target ui ui/picture",
	"internal/ops/devices": "device device/pool fault op ops/access ops/target xcode/macapp xcode/toolcheck",
	"internal/ops/journey": "device fault machine/outfile op ops/access ops/screen ops/target ui ui/audit ui/audit/auditfile",
	"internal/ops/logs": "device device/appref device/logcap device/steps fault machine/outfile network/capture op op/answers ops/access " +
		"ops/target telemetry telemetry/builds telemetry/steplines telemetry/streams telemetry/whose text/brief text/oneline ui",
	"internal/ops/network": "device device/appref device/pool device/steps fault machine/outfile network/capture network/flow " +
		"network/hostproxy network/mitm network/mock network/pattern network/proxy network/rules op ops/access ops/target " +
		"text/brief text/oneline ui",
	"internal/ops/pool": "device/lease device/pool device/session fault op op/feed ops/access text/oneline",
	"internal/ops/run": "device device/appref fault op ops/access ops/apps ops/builds ops/devices ops/network ops/screen ops/target " +
		"xcode/choose",
	"internal/ops/screen":   "device device/act device/film fault machine/outfile op ops/access ops/target ui ui/outline ui/picture",
	"internal/ops/session":  "config device device/session device/session/complete op ops/access ui",
	"internal/ops/settings": "device fault op ops/access ops/target",
	"internal/ops/system": "config device device/pool device/session fault machine/outfile machine/self network/proxy op op/feed " +
		"text/parse xcode/debugger xcode/toolcheck",
	"internal/ops/target": "device/act device/pool fault op ui",
	"internal/ops/touch":  "device device/act device/session fault machine/secrets op ops/access ops/target text/oneline ui ui/outline",
	"internal/ops/view/quern": "device device/act fault network/capture network/flow network/mock network/proxy op ops/apps " +
		"ops/crashes ops/logs ops/network ops/screen ops/system ops/target ops/touch telemetry telemetry/builds telemetry/crashes " +
		"telemetry/steplines ui ui/flat ui/picture ui/summary",
	"internal/ops/view/strobe": "desktop desktop/process device/act fault machine/outfile op ops/desktop text/oneline " +
		"ui ui/outline ui/picture",
	"internal/ops/view/xcode": "config device device/act device/appref device/session/complete fault fault/mask fault/nearest " +
		"machine/outfile op ops/apps ops/builds ops/debug ops/desktop ops/devices ops/logs ops/run ops/screen ops/session ops/settings " +
		"ops/system ops/target ops/touch ops/view/xcode/workflow text/brief text/oneline ui ui/flat ui/picture xcode/builder xcode/choose " +
		"xcode/debugger xcode/macapp xcode/scaffold xcode/swiftpackage",
	"internal/ops/view/xcode/workflow": "fault op text/terms",
	"internal/ops/wait":                "device/act fault network/flow op ops/access ops/network ops/screen ops/target text/oneline ui",

	"internal/surface/cli":       "fault fault/nearest machine/regularfile op surface/wording text/oneline",
	"internal/surface/mcp":       "fault fault/nearest op surface/wording text/brief text/lazyregexp text/terms",
	"internal/surface/reference": "fault op surface/wording",
	"internal/surface/rest":      "device/session fault fault/nearest op surface/wording text/brief",
	"internal/surface/wording":   "fault op text/oneline",

	"internal/client/connect": "fault fault/mask fault/nearest machine/docfile machine/host machine/pause op surface/wording",
	"internal/client/demo":    "fault op surface/wording ui",
	"internal/client/setup":   "fault machine/docfile machine/home machine/wholefile op ui",
	"internal/client/webdriver": "client/webdriver/page fault machine/pause machine/processes machine/regularfile machine/wholefile op " +
		"ui",
	"internal/client/webdriver/page": "text/lazyregexp ui",

	"internal/daemon": "desktop fault machine/private machine/resident machine/self machine/wholefile op surface/rest",
	"internal/daemon/product": "apple apple/atos apple/kinds apple/networksetup config desktop desktop/process device device/choice " +
		"device/film device/lease device/lease/hostlock device/logcap device/pool device/session device/session/naming " +
		"device/statedb device/steps " +
		"driver/agentwire driver/appium driver/atspi driver/deskapp driver/devicectl driver/idb driver/macax driver/usbmux driver/wda " +
		"driver/webdriver driver/xctest driver/xctest/agentsource fault fault/mask fault/nearest machine/home machine/host " +
		"machine/private machine/processes machine/secrets machine/store machine/trust network/capture network/hostproxy network/mitm " +
		"network/proxy network/rules network/stepflows op op/answers op/feed ops/catalogue ops/crashes ops/network ops/pool ops/system " +
		"ops/view/quern ops/view/strobe ops/view/xcode ops/view/xcode/workflow surface/mcp surface/reference surface/rest telemetry " +
		"telemetry/crashes telemetry/steplines telemetry/streams text/parse ui/uiread xcode/builder xcode/debugger xcode/macapp " +
		"xcode/swiftpackage xcode/toolcheck",

	"internal/virtualxcode": "machine/host machine/resident text/lazyregexp virtualxcode/agent virtualxcode/app virtualxcode/apps " +
		"virtualxcode/axe virtualxcode/devicectl virtualxcode/flaw virtualxcode/idb virtualxcode/idbcompanion virtualxcode/mark " +
		"virtualxcode/networksetup virtualxcode/open virtualxcode/osascript virtualxcode/plists virtualxcode/project virtualxcode/service " +
		"virtualxcode/simctl virtualxcode/sips virtualxcode/swiftcheck virtualxcode/tool virtualxcode/urlsession virtualxcode/usbmuxd " +
		"virtualxcode/wda virtualxcode/web " +
		"virtualxcode/world virtualxcode/xcodebuild virtualxcode/xcresult virtualxcode/xctrace",
	"internal/virtualxcode/agent":     "driver/agentwire virtualxcode/flaw virtualxcode/mark virtualxcode/world",
	"internal/virtualxcode/app":       "machine/regularfile",
	"internal/virtualxcode/applejson": "",
	"internal/virtualxcode/apps":      "virtualxcode/app",
	"internal/virtualxcode/axe": "machine/regularfile text/words virtualxcode/applejson virtualxcode/axtree virtualxcode/hid " +
		"virtualxcode/mark virtualxcode/render virtualxcode/swiftargs virtualxcode/tool virtualxcode/world",
	"internal/virtualxcode/axtree":      "virtualxcode/world",
	"internal/virtualxcode/crashreport": "virtualxcode/app virtualxcode/applejson virtualxcode/uuid",
	"internal/virtualxcode/devicectl": "machine/regularfile virtualxcode/app virtualxcode/applejson virtualxcode/flaw " +
		"virtualxcode/mark virtualxcode/swiftargs virtualxcode/tool virtualxcode/world",
	"internal/virtualxcode/flaw": "",
	"internal/virtualxcode/hid":  "virtualxcode/world",
	"internal/virtualxcode/idb": "virtualxcode/app virtualxcode/applejson virtualxcode/axtree virtualxcode/hid virtualxcode/mark " +
		"virtualxcode/render virtualxcode/tool virtualxcode/world",
	"internal/virtualxcode/idbcompanion": "driver/idbwire virtualxcode/app virtualxcode/applejson virtualxcode/axtree " +
		"virtualxcode/flaw virtualxcode/hid virtualxcode/mark virtualxcode/render virtualxcode/simctl virtualxcode/single " +
		"virtualxcode/tool virtualxcode/world",
	"internal/virtualxcode/mark":         "",
	"internal/virtualxcode/networksetup": "virtualxcode/mark virtualxcode/tool virtualxcode/world",
	"internal/virtualxcode/oldplist":     "virtualxcode/applejson",
	"internal/virtualxcode/open": "machine/host machine/processes machine/regularfile machine/wholefile virtualxcode/flaw " +
		"virtualxcode/mark virtualxcode/tool",
	"internal/virtualxcode/osascript": "virtualxcode/mark virtualxcode/tool virtualxcode/world",
	"internal/virtualxcode/plists":    "machine/regularfile machine/wholefile virtualxcode/mark virtualxcode/oldplist virtualxcode/tool",
	"internal/virtualxcode/project":   "apple/pbxproj machine/regularfile",
	"internal/virtualxcode/render":    "virtualxcode/world",
	"internal/virtualxcode/service": "machine/resident machine/wholefile virtualxcode/agent virtualxcode/flaw " +
		"virtualxcode/idbcompanion virtualxcode/render virtualxcode/tool virtualxcode/usbmuxd virtualxcode/wda virtualxcode/world",
	"internal/virtualxcode/simctl": "machine/regularfile virtualxcode/app virtualxcode/applejson virtualxcode/flaw virtualxcode/mark " +
		"virtualxcode/oldplist virtualxcode/plists virtualxcode/render virtualxcode/tool virtualxcode/world",
	"internal/virtualxcode/single":     "",
	"internal/virtualxcode/sips":       "machine/regularfile virtualxcode/mark virtualxcode/tool",
	"internal/virtualxcode/swiftargs":  "",
	"internal/virtualxcode/swiftcheck": "machine/host machine/regularfile text/lazyregexp",
	"internal/virtualxcode/tool":       "",
	"internal/virtualxcode/urlsession": "",
	"internal/virtualxcode/usbmuxd":    "machine/regularfile virtualxcode/flaw virtualxcode/mark virtualxcode/uuid virtualxcode/world",
	"internal/virtualxcode/uuid":       "",
	"internal/virtualxcode/wda":        "virtualxcode/flaw virtualxcode/mark virtualxcode/render virtualxcode/single virtualxcode/world",
	"internal/virtualxcode/web":        "machine/host virtualxcode/urlsession",
	"internal/virtualxcode/world": "machine/regularfile virtualxcode/app virtualxcode/crashreport virtualxcode/flaw virtualxcode/mark " +
		"virtualxcode/urlsession virtualxcode/uuid",
	"internal/virtualxcode/xcodebuild": "machine/regularfile text/lazyregexp virtualxcode/applejson virtualxcode/flaw " +
		"virtualxcode/mark virtualxcode/project virtualxcode/service virtualxcode/swiftcheck virtualxcode/tool virtualxcode/xcresult",
	"internal/virtualxcode/xcresult": "machine/regularfile virtualxcode/applejson virtualxcode/mark virtualxcode/tool",
	"internal/virtualxcode/xctrace":  "virtualxcode/mark virtualxcode/tool virtualxcode/world",
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
	found, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// fset has the positions of all files that parsed reads.
var fset = token.NewFileSet()

// parsed reads the tree once for all tests.
var parsed = sync.OnceValues(func() (map[string]*source, error) {
	found := map[string]*source{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "." {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
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
	return found, err
})

// facts is the package that hints are made of. It stands below all others, so every package may use it.
const facts = "hint"

func TestPackagesImportOnlyAllowedPackages(t *testing.T) {
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
			if ours == facts {
				continue
			}
			if is && !slices.Contains(strings.Fields(allowed), ours) {
				t.Errorf("%s must not import %s", dir, ours)
			}
		}
	}
}

// floors are the folders of internal/, bottom up: the order of the tour in docs/ARCHITECTURE.md. A package imports its own
// floor and those below. Virtual Xcode stands beside the house: nothing in the house may know it.
var floors = []string{"hint", "fault", "machine", "text", "op", "apple", "config", "ui", "desktop", "device", "telemetry", "network",
	"xcode", "driver", "ops", "surface", "client", "daemon", "virtualxcode"}

func TestPackagesDoNotImportHigherFloors(t *testing.T) {
	floor := func(path string) int {
		name, _, _ := strings.Cut(path, "/")
		return slices.Index(floors, name)
	}
	for dir, p := range packages(t) {
		dir, inside := strings.CutPrefix(dir, "internal/")
		if !inside {
			continue
		}
		if floor(dir) < 0 {
			t.Errorf("internal/%s is on no floor", dir)
		}
		for name := range p.imports {
			if ours, is := strings.CutPrefix(name, module+"internal/"); is && floor(ours) > floor(dir) {
				t.Errorf("internal/%s is below %s and must not import it", dir, ours)
			}
		}
	}
}

// TestOnlyCmdAndTestsImportVirtualXcode: whoever wires or measures the program imports package virtualxcode, nobody else does, and
// nobody at all imports what is behind it. Tests may.
func TestOnlyCmdAndTestsImportVirtualXcode(t *testing.T) {
	const door = "internal/virtualxcode"
	for dir, p := range packages(t) {
		if dir == door || strings.HasPrefix(dir, door+"/") {
			continue
		}
		for name := range p.imports {
			switch ours := strings.TrimPrefix(name, module); {
			case strings.HasPrefix(ours, door+"/"):
				t.Errorf("%s must not import %s: %s is the door", dir, ours, door)
			case ours == door && !strings.HasPrefix(dir, "cmd/") && !strings.HasPrefix(dir, "test/"):
				t.Errorf("%s must not know Virtual Xcode: cmd wires it", dir)
			}
		}
	}
}

// TestNovirtualTagRemovesVirtualXcode: a binary built with it has nothing of Virtual Xcode, and says so.
func TestNovirtualTagRemovesVirtualXcode(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", "-tags", "novirtual", "./cmd/ios-agent").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(list)) {
		if strings.HasPrefix(name, module+"internal/virtualxcode") {
			t.Errorf("it has %s", name)
		}
	}
	program := filepath.Join(t.TempDir(), "ios-agent")
	build := exec.Command("go", "build", "-tags", "novirtual", "-ldflags", "-s -w", "-o", program, "./cmd/ios-agent")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for args, env := range map[string]string{"demo": "", "virtual status": "", "doctor": "IOS_AGENT_TOOLCHAIN=virtual"} {
		cmd := exec.Command(program, strings.Fields(args)...)
		cmd.Env = append(cmd.Environ(), "IOS_AGENT_HOME="+t.TempDir(), env)
		said, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(said), "built without Virtual Xcode\nhint: build it without the tag novirtual") {
			t.Errorf("%s: %v\n%s", args, err, said)
		}
	}
}

// TestProductDoesNotImportTestPackages: what lies under test/ proves the product and is no part of it.
func TestProductDoesNotImportTestPackages(t *testing.T) {
	for dir, p := range packages(t) {
		for name := range p.imports {
			if strings.HasPrefix(name, module+"test/") && !strings.HasPrefix(dir, "test/") {
				t.Errorf("%s must not import %s", dir, name)
			}
		}
	}
}

// safe are packages below the operations that an operation may use although the folder they are in is forbidden to it: they read and write
// files within bounds, or are words without power.
var safe = []string{
	"apple/bundleid", "device/session/complete", "machine/outfile", "machine/regularfile", "machine/secrets", "machine/self",
}

// TestOperationsDoNotImportDriversOrOS: an operation reaches the world through access and domain services. It knows no driver, none of
// Apple's tools and no runner of programs, so that it cannot go round the lease, and opens no file by itself: the packages in safe read and
// write within bounds. A view reaches the methods of rooms only.
func TestOperationsDoNotImportDriversOrOS(t *testing.T) {
	none := []string{"driver", "apple", "machine"}
	views := append(slices.Clone(none), "device/pool", "device/lease", "device/session", "device/film", "device/logcap", "ops/access")
	for dir, p := range packages(t) {
		forbidden := none
		switch {
		case dir == "internal/ops/catalogue" || !strings.HasPrefix(dir, "internal/ops/"):
			continue
		case strings.HasPrefix(dir, "internal/ops/view/"):
			forbidden = views
		}
		for name := range p.imports {
			if name == "os" || name == "os/exec" || name == "syscall" {
				t.Errorf("%s must not import %s: an operation works through services", dir, name)
			}
			ours, is := strings.CutPrefix(name, module+"internal/")
			under := func(f string) bool { return ours == f || strings.HasPrefix(ours, f+"/") }
			if is && slices.ContainsFunc(forbidden, under) && !slices.Contains(safe, ours) {
				t.Errorf("%s must not import %s: an operation works through services, a view through operations", dir, ours)
			}
		}
	}
}

// above are the packages of operations that go through several rooms, and what each of them goes through. All other rooms know none.
var above = map[string]string{
	"internal/ops/run":                 "ops/apps ops/builds ops/devices ops/network ops/screen",
	"internal/ops/journey":             "ops/screen",
	"internal/ops/view/xcode/workflow": "fault op text/terms",
	"internal/ops/wait":                "ops/network ops/screen",
}

// TestRoomsDoNotImportEachOther: a room imports what rooms share, ops/access and ops/target, and no other room. The packages in above
// compose rooms; the catalogue wires all of them, and a view shows some.
func TestRoomsDoNotImportEachOther(t *testing.T) {
	shared := []string{"ops/access", "ops/target"}
	for dir, p := range packages(t) {
		if !strings.HasPrefix(dir, "internal/ops/") || dir == "internal/ops/catalogue" || strings.HasPrefix(dir, "internal/ops/view/") {
			continue
		}
		for name := range p.imports {
			ours, is := strings.CutPrefix(name, module+"internal/")
			if is && strings.HasPrefix(ours, "ops/") && !slices.Contains(shared, ours) && !slices.Contains(strings.Fields(above[dir]), ours) {
				t.Errorf("%s must not import %s: rooms do not know each other", dir, ours)
			}
		}
	}
}

// TestRoomTypesHaveNoExportedFields: what a constructor of a room gives has neither exported nor embedded fields, by which a view could go
// round the methods of the room and their checks.
func TestRoomTypesHaveNoExportedFields(t *testing.T) {
	for dir, p := range packages(t) {
		if !strings.HasPrefix(dir, "internal/ops/") || strings.HasPrefix(dir, "internal/ops/view/") || dir == "internal/ops/access" {
			continue
		}
		made := map[string]bool{}
		for _, file := range p.files {
			for _, d := range file.Decls {
				if f, is := d.(*ast.FuncDecl); is && f.Recv == nil && strings.HasPrefix(f.Name.Name, "New") && f.Type.Results != nil {
					made[typeName(f.Type.Results.List[0].Type)] = true
				}
			}
		}
		for i, file := range p.files {
			ast.Inspect(file, func(n ast.Node) bool {
				spec, is := n.(*ast.TypeSpec)
				if !is || !made[spec.Name.Name] {
					return true
				}
				fields, is := spec.Type.(*ast.StructType)
				if !is {
					return true
				}
				for _, f := range fields.Fields.List {
					if len(f.Names) == 0 || slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.IsExported() }) {
						t.Errorf("%s: %s has a field that a view can reach: keep it unexported and named", p.names[i], spec.Name.Name)
					}
				}
				return true
			})
		}
	}
}

// typeName is the name of a type or of what it points to.
func typeName(e ast.Expr) string {
	if star, is := e.(*ast.StarExpr); is {
		e = star.X
	}
	if id, is := e.(*ast.Ident); is {
		return id.Name
	}
	return ""
}

// mostCode is how many lines the files of a package may have together, without its tests, and mostArrows how many packages of ours it may
// import. What is larger has more than one subject.
const (
	mostCode   = 4000
	mostArrows = 20
)

func TestPackagesHaveBoundedLinesAndImports(t *testing.T) {
	for dir, p := range packages(t) {
		if !strings.HasPrefix(dir, "internal/") || strings.HasPrefix(dir, "internal/virtualxcode") {
			continue
		}
		lines, arrows := 0, 0
		for _, name := range p.names {
			if text, err := os.ReadFile(name); err == nil && !strings.HasSuffix(name, "_test.go") {
				lines += strings.Count(string(text), "\n")
			}
		}
		for name := range p.imports {
			if ours, is := strings.CutPrefix(name, module+"internal/"); is && ours != facts {
				arrows++
			}
		}
		if lines > mostCode {
			t.Errorf("%s has %d lines; %d are allowed", dir, lines, mostCode)
		}
		wires := dir == "internal/daemon/product" || dir == "internal/ops/catalogue" || strings.HasPrefix(dir, "internal/ops/view/")
		if arrows > mostArrows && !wires {
			t.Errorf("%s imports %d packages of ours; %d are allowed", dir, arrows, mostArrows)
		}
	}
}

// TestClientsDoNotImportServices: a client calls operations by their names. It knows none of the services behind them, nor who declares
// and serves them.
func TestClientsDoNotImportServices(t *testing.T) {
	may := []string{facts, "fault", "machine", "text", "op", "ui", "surface/wording", "client/webdriver/page"}
	for dir, p := range packages(t) {
		if !strings.HasPrefix(dir, "internal/client/") {
			continue
		}
		for name := range p.imports {
			ours, is := strings.CutPrefix(name, module+"internal/")
			if is && !slices.ContainsFunc(may, func(m string) bool { return ours == m || strings.HasPrefix(ours, m+"/") }) {
				t.Errorf("%s must not import %s: a client calls the catalogue", dir, ours)
			}
		}
	}
}

func TestOnlyHostPackageImportsExec(t *testing.T) {
	for dir, p := range packages(t) {
		if p.imports["os/exec"] && dir != "internal/machine/host" {
			t.Errorf("%s imports os/exec: programs are run by internal/machine/host", dir)
		}
	}
}

func TestEveryPackageHasPackageComment(t *testing.T) {
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

// TestAllowedImportsAreUsed keeps the table true when packages go or arrows fall.
func TestAllowedImportsAreUsed(t *testing.T) {
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

// longest is how many characters a line of Go may have; a tab is one.
const longest = 140

func TestLinesAreShort(t *testing.T) {
	for _, p := range packages(t) {
		for _, name := range p.names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				if n := utf8.RuneCountInString(line); n > longest {
					t.Errorf("%s:%d has %d characters; %d are allowed", name, i+1, n, longest)
				}
			}
		}
	}
}
