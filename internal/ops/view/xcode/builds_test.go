package xcode_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/catalogue"
	"ios-agent/internal/xcode/builder"
	"ios-agent/internal/xcode/macapp"
)

var update = flag.Bool("update", false, "write the golden files")

// checklist2025 are the tools of this half of the family, with the groups that list them: the catalogue of October 2025
// and, behind it, those that came later.
var checklist2025 = map[string]string{
	"build_device": "device", "get_device_app_path": "device", "test_device": "device",
	"build_sim": "simulator", "build_run_sim": "simulator", "test_sim": "simulator", "get_sim_app_path": "simulator",
	"build_macos": "macos", "build_run_macos": "macos", "get_mac_app_path": "macos", "test_macos": "macos",
	"discover_projs":      "project-discovery device macos simulator",
	"get_app_bundle_id":   "project-discovery device simulator",
	"get_mac_bundle_id":   "project-discovery macos",
	"list_schemes":        "project-discovery device macos simulator",
	"show_build_settings": "project-discovery device macos simulator",
	"clean":               "utilities device macos simulator",

	"build_run_device": "device", "get_coverage_report": "coverage", "get_file_coverage": "coverage",
}

func TestToolGroupsMatchChecklist(t *testing.T) {
	all := family(t, "xcode")
	for name, groups := range checklist2025 {
		if o := all[name]; strings.Join(o.Groups, " ") != groups {
			t.Errorf("%s is in the groups %v, not %s", name, o.Groups, groups)
		}
	}
}

// recorder stands where our process ends: it notes every program and plays what the case says.
type recorder struct {
	ran  []string
	exit map[string]int    // by the last argument, or the first
	says map[string]string // stdout, likewise
	errs map[string]string // stderr
}

func (r *recorder) Run(_ context.Context, c host.Cmd) (host.Result, error) {
	line := filepath.Base(c.Name)
	for _, a := range c.Args {
		line += " " + quote(a)
	}
	var env []string
	for _, e := range c.Env {
		env = append(env, quote(e))
	}
	if len(env) > 0 {
		line = strings.Join(env, " ") + " " + line
	}
	if c.Dir != "" {
		line += "   (in " + c.Dir + ")"
	}
	r.ran = append(r.ran, line)
	key := c.Args[len(c.Args)-1]
	for _, k := range []string{c.Args[0], strings.Join(c.Args[:min(2, len(c.Args))], " "), "--archive"} {
		if _, there := r.says[k]; there && (k != "--archive" || slices.Contains(c.Args, k)) {
			key = k
		}
	}
	for l := range strings.Lines(r.says[key]) {
		if c.OnLine != nil {
			c.OnLine(host.Stdout, []byte(strings.TrimRight(l, "\n")))
		}
	}
	result := host.Result{Stdout: []byte(r.says[key]), Stderr: []byte(r.errs[key]), ExitCode: r.exit[key]}
	if result.ExitCode != 0 {
		return result, &host.ExitError{Name: c.Name, Args: c.Args, Code: result.ExitCode}
	}
	return result, nil
}

func quote(s string) string {
	if s == "" || strings.ContainsAny(s, " '\"§()") {
		return "'" + s + "'"
	}
	return s
}

// shelf is a driver with devices that nothing can be done with.
type shelf struct {
	infos []device.Info
	err   error
}

func (s shelf) Name() string                                { return "shelf" }
func (s shelf) List(context.Context) ([]device.Info, error) { return s.infos, s.err }
func (s shelf) Open(i device.Info) device.Device            { return item{i} }

type item struct{ info device.Info }

func (i item) Info() device.Info { return i.info }
func (i item) Driver() string    { return "shelf" }
func (i item) Close() error      { return nil }

func phones() []device.Info {
	sim := func(udid, name, os, state string) device.Info {
		return device.Info{UDID: udid, Name: name, OS: os, State: state, Type: "simulator", Available: true, Family: "iPhone"}
	}
	gone := sim("00000000-0000-0000-0000-000000000013", "iPhone 13", "iOS 15.5", "shutdown")
	gone.Available = false
	return []device.Info{
		sim("00000000-0000-0000-0000-000000000016", "iPhone 16", "iOS 18.5", "shutdown"),
		sim("00000000-0000-0000-0000-000000000026", "iPhone 16", "iOS 26.0", "shutdown"),
		sim("00000000-0000-0000-0000-0000000000AA", "Apple Watch", "watchOS 11.5", "shutdown"), gone,
		{
			UDID: "00008140-1", Name: "Ada's iPhone", OS: "iOS 18.5", State: device.Booted, Type: device.TypePhysical, Available: true,
			Aliases: []string{"CORE-1"},
		},
	}
}

const (
	settingsJSON = `[{"action":"build","target":"Kit","buildSettings":{"BUILT_PRODUCTS_DIR":"/dd","FULL_PRODUCT_NAME":"Kit.framework"}},` +
		`{"action":"build","target":"Shop","buildSettings":{"BUILT_PRODUCTS_DIR":"/dd","FULL_PRODUCT_NAME":"Shop.app",` +
		`"PRODUCT_BUNDLE_IDENTIFIER":"com.a.shop"}}]`
	listJSON    = `{"project":{"name":"Shop","schemes":["Shop","Shop Tests"],"targets":["Shop"],"configurations":["Debug","Release"]}}`
	compileFail = "CompileSwift normal arm64\n/src/A.swift:3:5: error: cannot find 'x' in scope\n    x()\n    ^\n" +
		"/src/A.swift:3:5: error: cannot find 'x' in scope\n/src/B.swift:1:1: warning: unused\n\n** BUILD FAILED **\n"
	noise = "2026-01-01 xcodebuild[1:1] DVTDeviceOperation: Encountered a build number \"\" that is incompatible with DVTBuildVersion.\n"
)

// bench is one daemon's worth of parts over a recorder.
type bench struct {
	*recorder
	catalogue *op.Catalogue
	dir       string
}

func newBench(t *testing.T, driver shelf) *bench {
	t.Helper()
	dir := t.TempDir()
	for _, path := range []string{"Shop.xcodeproj", "Shop.xcworkspace", `odd $(x) 'q'/Ü.xcodeproj`, "T.xctestproducts", "Tests.xcresult"} {
		if err := os.MkdirAll(filepath.Join(dir, path), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r := &recorder{
		exit: map[string]int{}, errs: map[string]string{}, says: map[string]string{"-list": listJSON, "-showBuildSettings": settingsJSON},
	}
	home := filepath.Join(dir, "home")
	all := catalogue.All(catalogue.Services{
		Pool:     pool.New(pool.Options{Drivers: []device.Driver{driver}, Leases: lease.NewTable(lease.Options{})}),
		Sessions: &session.Store{}, Home: home,
		Builds: builder.New(builder.Options{Run: r, Dir: filepath.Join(home, "builds")}), MacApps: macapp.New(macapp.Options{Run: r}),
	})
	return &bench{r, op.NewCatalogue(all, op.Options{}), dir}
}

func (b *bench) call(name, input string) op.Envelope {
	input = strings.ReplaceAll(input, "§", b.dir+"/")
	call := op.Call{Session: "s", Env: map[string]string{"DEVELOPER_DIR": "/Xcode", "SIMCTL_CHILD_A": "b"}}
	return b.catalogue.Run(context.Background(), name, call, []byte(input))
}

const (
	minimal = `"projectPath":"§Shop.xcodeproj","scheme":"Shop"`
	how     = `"configuration":"Release","derivedDataPath":"§dd","extraArgs":["-quiet","FOO=a b","-only-testing:T/S/test()"],` +
		`"preferXcodebuild":true`
	sim16  = `"simulatorName":"iPhone 16"`
	iphone = `"deviceId":"00008140-1"`
)

// TestToolsMatchGoldenArgvAndAnswers holds what each tool executes and answers against a golden file.
func TestToolsMatchGoldenArgvAndAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		input   string
		prepare func(*bench)
		driver  *shelf
	}{
		"build_sim/minimal": {input: `{` + minimal + `,` + sim16 + `}`},
		"build_sim/full": {input: `{"workspacePath":"§Shop.xcworkspace","scheme":"Shop App",` + sim16 +
			`,"useLatestOS":true,"platform":"tvOS Simulator",` + how + `}`},
		"build_sim/id":          {input: `{` + minimal + `,"simulatorId":"00000000-0000-0000-0000-000000000016"}`},
		"build_sim/uuid":        {input: `{` + minimal + `,"simulatorUuid":"00000000-0000-0000-0000-000000000016"}`},
		"build_sim/udid-name":   {input: `{` + minimal + `,"simulatorName":"00000000-0000-0000-0000-000000000016"}`},
		"build_sim/watch":       {input: `{` + minimal + `,"simulatorName":"Apple Watch"}`},
		"build_sim/no-simctl":   {input: `{` + minimal + `,` + sim16 + `}`, driver: &shelf{err: fmt.Errorf("simctl is away")}},
		"build_sim/blank":       {input: `{` + minimal + `,` + sim16 + `,"workspacePath":" ","simulatorId":""}`},
		"build_sim/odd path":    {input: `{"projectPath":"§odd $(x) 'q'/Ü.xcodeproj","scheme":"; rm -rf /",` + sim16 + `}`},
		"build_sim/for testing": {input: `{` + minimal + `,` + sim16 + `,"buildForTesting":true,"testProductsPath":"§T2.xctestproducts"}`},
		"build_sim/errors": {input: `{` + minimal + `,` + sim16 + `}`, prepare: func(b *bench) {
			b.says["build"], b.errs["build"], b.exit["build"] = compileFail, noise, 65
		}},
		"build_sim/quiet errors": {input: `{` + minimal + `,` + sim16 + `,"suppressWarnings":true}`, prepare: func(b *bench) {
			b.says["build"], b.exit["build"] = compileFail, 65
		}},
		"build_sim/stderr noise": {input: `{` + minimal + `,` + sim16 + `}`, prepare: func(b *bench) {
			b.says["build"], b.errs["build"] = "** BUILD SUCCEEDED **\n", noise+"error: this is not our error\n"
		}},
		"build_sim/no scheme": {input: `{"projectPath":"§Shop.xcodeproj","scheme":"Shop Test",` + sim16 + `}`, prepare: func(b *bench) {
			b.errs["build"], b.exit["build"] = "xcodebuild: error: The project named \"Shop\" does not contain a scheme named \"Shop Test\".\n", 65
		}},
		"build_sim/both":         {input: `{` + minimal + `,"workspacePath":"§Shop.xcworkspace",` + sim16 + `}`},
		"build_sim/both sims":    {input: `{` + minimal + `,` + sim16 + `,"simulatorId":"x"}`},
		"build_sim/nothing":      {input: `{}`},
		"build_sim/no project":   {input: `{"projectPath":"§Shp.xcodeproj","scheme":"Shop",` + sim16 + `}`},
		"build_sim/unknown sim":  {input: `{` + minimal + `,"simulatorName":"iPhone 17"}`},
		"build_sim/bad platform": {input: `{` + minimal + `,` + sim16 + `,"platform":"iOS"}`},
		"build_sim/bad args":     {input: `{` + minimal + `,` + sim16 + `,"extraArgs":["-scheme","X"]}`},
		"build_sim/action":       {input: `{` + minimal + `,` + sim16 + `,"extraArgs":["test"]}`},
		"build_sim/question":     {input: `{` + minimal + `,` + sim16 + `,"extraArgs":["-showBuildSettings"]}`},
		"build_sim/destination":  {input: `{` + minimal + `,` + sim16 + `,"extraArgs":["-destination","generic/platform=iOS"]}`},
		"build_sim/defaults": {input: `{}`, prepare: func(b *bench) {
			b.call("session_set_defaults", `{"workspacePath":"§Shop.xcworkspace","scheme":"Shop",`+sim16+
				`,"platform":"watchOS","extraArgs":["-quiet"],"configuration":"Release"}`)
		}},
		"build_sim/defaults overridden": {input: `{"projectPath":"§Shop.xcodeproj",` +
			`"simulatorId":"00000000-0000-0000-0000-000000000016","extraArgs":[]}`, prepare: func(b *bench) {
			b.call("session_set_defaults", `{"workspacePath":"§Shop.xcworkspace","scheme":"Shop",`+sim16+`,"extraArgs":["-quiet"]}`)
		}},

		"build_run_sim/no ability": {input: `{` + minimal + `,` + sim16 + `}`},
		"build_run_sim/errors": {input: `{` + minimal + `,` + sim16 + `}`, prepare: func(b *bench) {
			b.says["build"], b.exit["build"] = compileFail, 65
		}},
		"get_sim_app_path/minimal": {input: `{` + minimal + `,` + sim16 + `}`},

		"test_sim/minimal": {input: `{` + minimal + `,` + sim16 + `}`},
		"test_sim/full": {input: `{` + minimal + `,` + sim16 + `,` + how +
			`,"testRunnerEnv":{"A":"1","TEST_RUNNER_B":"2"},"progress":true}`, prepare: func(b *bench) {
			b.says["test-without-building"] = "Test Case '-[T.S test]' started.\nTest Case '-[T.S test]' passed (0.1 seconds).\n" +
				"** TEST EXECUTE SUCCEEDED **\n"
		}},
		"test_sim/own bundle": {input: `{` + minimal + `,` + sim16 + `,"extraArgs":["-resultBundlePath","mine.xcresult"]}`},
		"test_sim/build errors": {input: `{` + minimal + `,` + sim16 + `}`, prepare: func(b *bench) {
			b.says["build-for-testing"], b.exit["build-for-testing"] = compileFail, 65
		}},
		"test_sim/failures": {input: `{` + minimal + `,` + sim16 + `}`, prepare: func(b *bench) {
			b.says["test-without-building"] = "Test Case '-[T.S testA]' started.\n" +
				"/src/S.swift:7: error: -[T.S testA] : XCTAssertTrue failed\n" +
				"Test Case '-[T.S testA]' failed (0.1 seconds).\n** TEST EXECUTE FAILED **\n"
			b.exit["test-without-building"] = 65
		}},
		"test_sim/macOS":       {input: `{"platform":"macOS"}`},
		"test_sim/prepared":    {input: `{"testProductsPath":"§T.xctestproducts",` + sim16 + `,"extraArgs":["-only-testing:T/S"]}`},
		"test_sim/prepared+":   {input: `{"testProductsPath":"§T.xctestproducts","scheme":"Shop",` + sim16 + `}`},
		"test_sim/bad env":     {input: `{` + minimal + `,` + sim16 + `,"testRunnerEnv":["A"]}`},
		"test_sim/no such run": {input: `{"xctestrunPath":"§gone.xctestrun",` + sim16 + `}`},

		"build_device/minimal":        {input: `{` + minimal + `}`},
		"build_device/full":           {input: `{` + minimal + `,` + how + `,"platform":"watchOS",` + iphone + `}`},
		"build_run_device/minimal":    {input: `{` + minimal + `,` + iphone + `}`},
		"get_device_app_path/minimal": {input: `{` + minimal + `}`},
		"test_device/minimal":         {input: `{` + minimal + `,` + iphone + `}`},
		"test_device/alias":           {input: `{` + minimal + `,"deviceId":"core-1"}`},
		"test_device/unknown":         {input: `{` + minimal + `,"deviceId":"00008140-2"}`},
		"build_run_device/unknown":    {input: `{` + minimal + `,"deviceId":"00008140-2"}`},
		"test_device/no device":       {input: `{` + minimal + `}`},

		"build_macos/minimal":      {input: `{` + minimal + `}`},
		"build_macos/full":         {input: `{` + minimal + `,` + how + `,"arch":"x86_64"}`},
		"build_run_macos/no app":   {input: `{` + minimal + `}`},
		"get_mac_app_path/minimal": {input: `{` + minimal + `}`},
		"get_mac_app_path/arch":    {input: `{` + minimal + `,"arch":"arm64"}`},
		"test_macos/minimal":       {input: `{` + minimal + `}`},

		"clean/minimal":      {input: `{` + minimal + `}`},
		"clean/simulator":    {input: `{` + minimal + `,"platform":"visionOS Simulator"}`},
		"clean/no scheme":    {input: `{"projectPath":"§Shop.xcodeproj"}`},
		"clean/no scheme ws": {input: `{"workspacePath":"§Shop.xcworkspace"}`},

		"discover_projs/minimal":      {input: `{"workspaceRoot":"§"}`},
		"list_schemes/minimal":        {input: `{"workspacePath":"§Shop.xcworkspace"}`},
		"show_build_settings/minimal": {input: `{` + minimal + `}`},
		"get_app_bundle_id/no app":    {input: `{"appPath":"§gone.app"}`},
		"get_mac_bundle_id/no app":    {input: `{"appPath":"§Shop.xcodeproj"}`},
		"get_coverage_report/minimal": {input: `{"xcresultPath":"§Tests.xcresult"}`, prepare: coverage},
		"get_file_coverage/lines":     {input: `{"xcresultPath":"§Tests.xcresult","file":"A.swift","showLines":true}`, prepare: coverage},
		"get_file_coverage/unknown":   {input: `{"xcresultPath":"§Tests.xcresult","file":"AA.swift"}`, prepare: coverage},
	} {
		t.Run(name, func(t *testing.T) {
			driver := shelf{infos: phones()}
			if c.driver != nil {
				driver = *c.driver
			}
			b := newBench(t, driver)
			if c.prepare != nil {
				c.prepare(b)
			}
			b.ran = nil
			input := strings.ReplaceAll(c.input, "@(", "\x00(")
			tool, _, _ := strings.Cut(name, "/")
			e := b.call(tool, strings.ReplaceAll(input, "\x00(", "§("))
			golden(t, name, b.tidy(e))
		})
	}
}

func coverage(b *bench) {
	b.says["xccov view"] = `{"coveredLines":3,"executableLines":4,"lineCoverage":0.75,"targets":[` +
		`{"name":"Shop.app","coveredLines":3,"executableLines":4,"lineCoverage":0.75,"files":[` +
		`{"name":"A.swift","path":"/src/A.swift","coveredLines":3,"executableLines":4,"lineCoverage":0.75,"functions":[` +
		`{"name":"A.a()","lineNumber":1,"coveredLines":3,"executableLines":3,"lineCoverage":1,"executionCount":2},` +
		`{"name":"A.b()","lineNumber":6,"coveredLines":0,"executableLines":1,"lineCoverage":0,"executionCount":0}]}]}]}`
	b.says["--archive"] = `{"/src/A.swift":[{"line":1,"isExecutable":true,"executionCount":2},{"line":2,"isExecutable":false},` +
		`{"line":5,"isExecutable":true,"executionCount":0},{"line":6,"isExecutable":false},` +
		`{"line":7,"isExecutable":true,"executionCount":0},{"line":9,"isExecutable":true,"executionCount":1}]}`
}

var volatile = regexp.MustCompile(`[0-9]{8}T[0-9]{6}\.[0-9]{3}-[0-9]+|[0-9.]+ms|-[0-9a-f]{12}/|, 0s\)`)

// tidy is what was executed and what was answered, without what differs from run to run. A fault's facts are in plain words: a surface
// renders them before it takes the text, which has none.
func (b *bench) tidy(e op.Envelope) string {
	if e.Error != nil {
		e.Error = e.Error.Said(hint.Plain)
	}
	out := strings.Join(b.ran, "\n") + "\n---\n" + e.Text() + "\n"
	out = strings.ReplaceAll(out, b.dir, "DIR")
	return volatile.ReplaceAllStringFunc(out, func(s string) string {
		if strings.HasSuffix(s, "/") {
			return "-HASH/"
		}
		return "…"
	})
}

// golden compares with testdata/buildtools.golden, which is one JSON object so that every case stands alone.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "buildtools.golden")
	all := map[string][]string{}
	if raw, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimRight(got, "\n"), "\n")
	if *update {
		all[name] = lines
		var w strings.Builder
		enc := json.NewEncoder(&w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		if err := enc.Encode(all); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(w.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !slices.Equal(lines, all[name]) {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(all[name], "\n"))
	}
}
