package xcode_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/internal/ops/catalogue"
)

// documented are XcodeBuildMCP's tools that this half of the set has, with the parameters and groups its documents give
// them; names after a bar are those of later versions.
var documented = map[string]struct{ params, groups string }{
	"list_sims":                        {"enabled", "simulator simulator-management"},
	"boot_sim":                         {"simulatorUuid simulatorId", "simulator simulator-management"},
	"open_sim":                         {"", "simulator simulator-management"},
	"install_app_sim":                  {"simulatorUuid simulatorId appPath", "simulator"},
	"launch_app_sim":                   {"simulatorUuid simulatorId simulatorName bundleId args launchArgs env", "simulator"},
	"launch_app_logs_sim":              {"simulatorUuid simulatorId bundleId args env", "simulator"},
	"stop_app_sim":                     {"simulatorUuid simulatorId simulatorName bundleId", "simulator"},
	"record_sim_video":                 {"simulatorUuid simulatorId start stop fps outputFile", "simulator"},
	"screenshot":                       {"simulatorUuid simulatorId returnFormat", "ui-testing ui-automation simulator"},
	"erase_sims":                       {"simulatorUdid simulatorId all shutdownFirst", "simulator-management"},
	"toggle_software_keyboard":         {"simulatorId", "simulator-management"},
	"toggle_connect_hardware_keyboard": {"simulatorId", "simulator-management"},
	"set_sim_appearance":               {"simulatorUuid simulatorId mode", "simulator-management"},
	"set_sim_location":                 {"simulatorUuid simulatorId latitude longitude", "simulator-management"},
	"reset_sim_location":               {"simulatorUuid simulatorId", "simulator-management"},
	"sim_statusbar":                    {"simulatorUuid simulatorId dataNetwork", "simulator-management"},

	"start_sim_log_cap":    {"simulatorUuid simulatorId bundleId captureConsole subsystemFilter", "logging"},
	"stop_sim_log_cap":     {"logSessionId", "logging"},
	"start_device_log_cap": {"deviceId bundleId", "logging device"},
	"stop_device_log_cap":  {"logSessionId", "logging device"},

	"debug_attach_sim":        {"simulatorUuid simulatorId simulatorName bundleId pid waitFor continueOnAttach makeCurrent", "debugging"},
	"debug_breakpoint_add":    {"debugSessionId file line function condition", "debugging"},
	"debug_breakpoint_remove": {"debugSessionId breakpointId", "debugging"},
	"debug_continue":          {"debugSessionId", "debugging"},
	"debug_detach":            {"debugSessionId", "debugging"},
	"debug_stack":             {"debugSessionId threadIndex maxFrames", "debugging"},
	"debug_variables":         {"debugSessionId frameIndex", "debugging"},
	"debug_lldb_command":      {"debugSessionId command timeoutMs", "debugging"},

	"list_devices":       {"", "device"},
	"install_app_device": {"deviceId appPath", "device"},
	"launch_app_device":  {"deviceId bundleId launchArgs env", "device"},
	"stop_app_device":    {"deviceId processId", "device"},

	"launch_mac_app": {"appPath args", "macos"},
	"stop_mac_app":   {"appName processId", "macos"},

	"swift_package_build": {"packagePath targetName configuration architectures parseAsLibrary", "swift-package"},
	"swift_package_test":  {"packagePath testProduct filter configuration parallel showCodecov parseAsLibrary", "swift-package"},
	"swift_package_run":   {"packagePath executableName arguments configuration timeout background parseAsLibrary", "swift-package"},
	"swift_package_list":  {"", "swift-package"},
	"swift_package_stop":  {"pid", "swift-package"},
	"swift_package_clean": {"packagePath", "swift-package"},

	"scaffold_ios_project": {"projectName outputPath bundleIdentifier displayName marketingVersion currentProjectVersion customizeNames " +
		"deploymentTarget targetedDeviceFamily supportedOrientations supportedOrientationsIpad", "project-scaffolding"},
	"scaffold_macos_project": {"projectName outputPath bundleIdentifier displayName marketingVersion currentProjectVersion customizeNames " +
		"deploymentTarget", "project-scaffolding"},
	"doctor":         {"enabled nonRedacted", "doctor"},
	"discover_tools": {"task_description additive", "discovery"},

	"describe_ui": {"simulatorUuid simulatorId", "ui-testing simulator"},
	"snapshot_ui": {"simulatorId sinceScreenHash", "ui-automation"},
	"tap":         {"simulatorUuid simulatorId x y preDelay postDelay id label elementRef", "ui-testing ui-automation"},
	"long_press":  {"simulatorUuid simulatorId x y duration elementRef", "ui-testing"},
	"touch":       {"simulatorUuid simulatorId x y down up delay elementRef", "ui-testing"},
	"swipe": {"simulatorUuid simulatorId x1 y1 x2 y2 duration delta preDelay postDelay " +
		"withinElementRef direction distance", "ui-testing"},
	"drag":         {"simulatorId elementRef direction distance duration steps", "ui-automation"},
	"gesture":      {"simulatorUuid simulatorId preset screenWidth screenHeight duration delta preDelay postDelay", "ui-testing"},
	"button":       {"simulatorUuid simulatorId buttonType duration", "ui-testing"},
	"key_press":    {"simulatorUuid simulatorId keyCode duration", "ui-testing"},
	"key_sequence": {"simulatorUuid simulatorId keyCodes delay", "ui-testing"},
	"type_text":    {"simulatorUuid simulatorId text elementRef replaceExisting", "ui-testing"},
	"wait_for_ui": {"simulatorId predicate elementRef identifier label role value text " +
		"timeoutMs pollIntervalMs settledDurationMs", "ui-automation"},
	"batch": {"simulatorId steps axCache waitTimeout pollInterval", "ui-automation"},
}

// fromSession are the parameters that a default can supply: no tool may insist on them.
var fromSession = []string{"simulatorId", "simulatorName", "deviceId", "bundleId", "env"}

func family(t *testing.T, name string) map[string]op.Op {
	t.Helper()
	found := map[string]op.Op{}
	for _, o := range op.NewCatalogue(catalogue.All(catalogue.Services{}), op.Options{}).Ops() {
		if o.Family == name {
			found[o.Name] = o
		}
	}
	return found
}

func TestXcodeToolsMatchDocumentation(t *testing.T) {
	all := family(t, "xcode")
	for name, want := range documented {
		o, ok := all[name]
		if !ok {
			t.Errorf("%s is missing", name)
			continue
		}
		has := map[string]op.Field{}
		for _, f := range o.Fields() {
			has[f.Name] = f
		}
		for param := range strings.FieldsSeq(want.params) {
			f, ok := has[param]
			if !ok {
				t.Errorf("%s has no %s", name, param)
			}
			if f.Required && slices.Contains(fromSession, param) {
				t.Errorf("%s insists on %s, which a default can supply", name, param)
			}
		}
		for group := range strings.FieldsSeq(want.groups) {
			if !slices.Contains(o.Groups, group) {
				t.Errorf("%s is not in the group %s", name, group)
			}
		}
		if o.Route != "POST /api/v1/xcode/"+name {
			t.Errorf("%s has the route %q", name, o.Route)
		}
	}
}

// TestXcodeToolsHaveFamilyVerbs: every tool has a verb below the family's word; its bare name still means it, unless a core operation is
// called so.
func TestXcodeToolsHaveFamilyVerbs(t *testing.T) {
	core := map[string]bool{}
	for _, o := range family(t, op.Core) {
		for _, word := range append(o.Aliases, o.Verb) {
			core[word] = true
		}
	}
	for _, o := range family(t, "xcode") {
		hyphens := strings.ReplaceAll(o.Name, "_", "-")
		if o.Verb != "xcode "+hyphens || o.Called(hyphens) == core[hyphens] {
			t.Errorf("%s: verb %q, aliases %q, though core has it: %v", o.Name, o.Verb, o.Aliases, core[hyphens])
		}
	}
}

// TestNextStepsNameExistingTools reads the next steps from the source: each names a tool that is there, with inputs it takes.
func TestNextStepsNameExistingTools(t *testing.T) {
	all := op.NewCatalogue(catalogue.All(catalogue.Services{}), op.Options{})
	table := rows(t)
	table["setDefaults"] = "session_set_defaults" // ours
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(source, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if name, is := callee(call, ok); !is || name != "nextCall" {
				return true
			}
			found++
			row, is := call.Args[0].(*ast.Ident)
			if !is || table[row.Name] == "" {
				return true // a variable
			}
			o, err := all.Lookup(table[row.Name])
			if err != nil {
				t.Errorf("%s: the next step %s does not exist", file, row.Name)
				return true
			}
			for i := 1; i < len(call.Args); i += 2 {
				key := text(call.Args[i])
				if key != "" && !slices.ContainsFunc(o.Fields(), func(f op.Field) bool { return f.Name == key }) {
					t.Errorf("%s: the next step %s has no input %s", file, o.Name, key)
				}
			}
			return true
		})
	}
	if found < 20 {
		t.Errorf("only %d next steps were found: does this test still look for the right thing?", found)
	}
}

// rows are the full names of the table in tools.go, by the variable that holds each.
func rows(t *testing.T) map[string]string {
	t.Helper()
	source, err := parser.ParseFile(token.NewFileSet(), "tools.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]string{}
	ast.Inspect(source, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		call, is := spec.Values[0].(*ast.CallExpr)
		if name, row := callee(call, is); row && name == "row" {
			table[spec.Names[0].Name] = "xcode_" + text(call.Args[0])
		}
		return true
	})
	return table
}

// TestEveryTableRowDeclaresTool: a row that nothing declares would be a next step that nobody can take.
func TestEveryTableRowDeclaresTool(t *testing.T) {
	all := op.NewCatalogue(catalogue.All(catalogue.Services{}), op.Options{})
	table := rows(t)
	for variable, name := range table {
		if _, err := all.Lookup(name); err != nil {
			t.Errorf("%s in tools.go is %s, which is not in Ops", variable, name)
		}
	}
	if got, want := len(table), len(family(t, "xcode")); got != want {
		t.Errorf("tools.go has %d rows, and the family %d tools", got, want)
	}
}

func callee(call *ast.CallExpr, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	id, is := call.Fun.(*ast.Ident)
	if !is {
		return "", false
	}
	return id.Name, true
}

func text(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, _ := strconv.Unquote(lit.Value)
	return s
}
