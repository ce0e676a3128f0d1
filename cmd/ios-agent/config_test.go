package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/config"
	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/test/hostiledoc"
)

// TestHostileProjectFileIsRefused: the file of a project that somebody else wrote costs neither memory nor time, and what it points
// to is not told.
func TestHostileProjectFileIsRefused(t *testing.T) {
	hostiledoc.Refuses(t, "tools", func(path string) error {
		how := configured(product.Serving{}, product.Catalogue(), config.ReadTools(filepath.Dir(filepath.Dir(path)), product.Keys()), noEnv)
		if how.Mistakes == "" || how.Tools != "core" {
			return nil
		}
		return fault.New(fault.InvalidInput, "%s", how.Mistakes).WithHint("every answer tells it, and the server runs")
	}, nil)
}

func noEnv(string) string { return "" }

func project(t *testing.T, name, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	path := filepath.Join(dir, name, "config.yaml")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestAnswersReportBrokenSettings: what is wrong in a project's file is left out and told; what is valid holds, and the server runs.
func TestAnswersReportBrokenSettings(t *testing.T) {
	for _, c := range []struct{ folder, text, tools, workflows, told string }{
		{".ios-agent", "tools: [session-management, core]\n", "session-management,core", "", ""},
		{".ios-agent", "", "core", "", ""},
		{".ios-agent", "sessionDefaults: {scheme: A}\n", "core", "", ""},
		{".ios-agent", "tools: simulator\n", "core", "", "config.yaml:1: tools must be a list of texts; it is a list, such as"},
		{".ios-agent", "tools: 7", "core", "", "config.yaml:1: tools must be a list"},
		{".ios-agent", "tools: [", "core", "", "config.yaml:1 is ignored: this is not valid YAML"},
		{".ios-agent", "tools: [simulatr, job]\n", "job", "", `unknown tool set "simulatr"; did you mean "simulator"?`},
		{".ios-agent", "sessionDefaults: 3\ntools: [job]\n", "job", "", "sessionDefaults must be a mapping"},
		{".xcodebuildmcp", "enabledWorkflows: [simulator, logging]\n", "core", "simulator,logging", ""},
		{".xcodebuildmcp", "enabledWorkflows: simulator, logging\n", "core", "simulator,logging", ""},
		{".xcodebuildmcp", "enabledWorkflows: [mine]\ncustomWorkflows: {mine: [tap, list_sims]}\n", "core", "tap,list_sims", ""},
		{".xcodebuildmcp", "enabledWorkflows: {a: 1}\n", "core", "", "enabledWorkflows must be a list of texts"},
		{".xcodebuildmcp", "customWorkflows: {a: 1}\nenabledWorkflows: [device]", "core", "device", "customWorkflows: a must be a list of texts"},
		{".xcodebuildmcp", "{a: [}", "core", "", "is ignored: this is not valid YAML"},
	} {
		dir := project(t, c.folder, c.text)
		how := configured(product.Serving{}, product.Catalogue(), config.ReadTools(dir, product.Keys()), noEnv)
		if how.Tools != c.tools || how.Workflows != c.workflows || (how.Mistakes != "") != (c.told != "") ||
			!strings.Contains(how.Mistakes, c.told) || strings.Contains(how.Mistakes, "\n") {
			t.Errorf("%s %q: %+v", c.folder, c.text, how)
		}
	}
	dir := project(t, ".xcodebuildmcp", "enabledWorkflows: [device]\n")
	env := map[string]string{workflowsVariable: "macos, logging", dynamicVariable: "true"}
	get := func(name string) string { return env[name] }
	how := configured(product.Serving{Tools: "xcode"}, product.Catalogue(), config.ReadTools(dir, product.Keys()), get)
	if how.Workflows != "device" || !how.Dynamic {
		t.Errorf("the file comes before the environment: %+v", how)
	}
	if how := configured(product.Serving{Tools: "xcode"}, product.Catalogue(), config.Tools{}, get); how.Workflows != "macos,logging" {
		t.Errorf("%+v", how)
	}
}

// TestMCPRunsWithBrokenProjectFile: the server runs with a broken file, and the mistake is the first line of its answers.
func TestMCPRunsWithBrokenProjectFile(t *testing.T) {
	t.Setenv("IOS_AGENT_HOME", filepath.Join(t.TempDir(), "home"))
	t.Setenv("IOS_AGENT_TOOLCHAIN", "virtual")
	t.Chdir(project(t, ".ios-agent", "tools: simulator\n"))
	s, ended := stdio(t, "mcp")
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "find_tools", Arguments: map[string]any{"query": "swipe"}})
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(r.Content[0].(*sdk.TextContent).Text, "\n")
	if !strings.HasPrefix(first, "config: ") || !strings.Contains(first, "tools must be a list of texts") {
		t.Errorf("the first line is %q", first)
	}
	s.Close()
	if code := <-ended; code != 0 {
		t.Errorf("exit %d", code)
	}
}

// stdio is a client of the program's MCP server.
func stdio(t *testing.T, args string) (s *sdk.ClientSession, ended chan int) {
	t.Helper()
	p := command()
	in, toServer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromServer, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.app.In, p.app.Out = in, out
	ended = make(chan int, 1)
	go func() { ended <- p.run(t.Context(), strings.Fields(args)) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err = client.Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, ended
}

// TestXcodeBuildMCPsSettingsChooseTools: its variables and its file choose among the tools of its set.
func TestXcodeBuildMCPsSettingsChooseTools(t *testing.T) {
	t.Setenv("IOS_AGENT_HOME", filepath.Join(t.TempDir(), "home"))
	t.Setenv("IOS_AGENT_TOOLCHAIN", "virtual")
	for _, c := range []struct{ file, workflows, dynamic, has, not string }{
		{"", "", "", "build_run_sim session_set_defaults job_wait list_devices discover_tools", "find_tools call_tool snapshot tap_element"},
		{"", "swift-package,macos", "", "swift_package_build build_macos session_set_defaults discover_tools", "build_sim tap"},
		{"enabledWorkflows: [device]\n", "simulator", "", "build_device", "build_sim boot_device"},
		{"", "", "true", "discover_tools discover_projs session_set_defaults", "build_sim tap"},
		{"", "debugging,logging", "", "start_sim_log_cap debug_attach_sim", "build_sim"},
		{"", "xcode-ide,logging", "", "start_sim_log_cap", "build_sim debug_attach_sim"},
	} {
		t.Setenv(workflowsVariable, c.workflows)
		t.Setenv(dynamicVariable, c.dynamic)
		t.Chdir(project(t, ".xcodebuildmcp", c.file))
		s, ended := stdio(t, "mcp --tools xcode")
		listed, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		has := func(name string) bool {
			return slices.ContainsFunc(listed.Tools, func(tool *sdk.Tool) bool { return tool.Name == name })
		}
		for _, name := range strings.Fields(c.has) {
			if !has(name) {
				t.Errorf("%+v: %s is missing", c, name)
			}
		}
		for _, name := range strings.Fields(c.not) {
			if has(name) {
				t.Errorf("%+v: %s is there", c, name)
			}
		}
		s.Close()
		<-ended
	}
}
