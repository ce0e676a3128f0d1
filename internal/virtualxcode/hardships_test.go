package virtualxcode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/project"
	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/world"
)

// hard makes hardships happen until they are cleared.
func (m *mac) hard(names ...string) {
	m.t.Helper()
	for _, name := range names {
		if err := m.World().AddFault(flaw.Fault{Name: name, Times: flaw.Forever}); err != nil {
			m.t.Fatal(err)
		}
	}
}

func TestRealMacProfileArmsItsFaults(t *testing.T) {
	m := newMac(t)
	happens := func() (names []string) {
		for _, k := range flaw.Known() {
			if _, yes := m.World().TakeFault(m.udid, k.Name); yes {
				names = append(names, k.Name)
			}
		}
		return names
	}
	if names := happens(); names != nil {
		t.Errorf("a new world has %q", names)
	}
	if err := m.Client().SetProfile(t.Context(), "kind-mac"); err == nil {
		t.Error("there is a profile kind-mac")
	}
	for range 2 { // they are not used up
		if err := m.Client().SetProfile(t.Context(), virtualxcode.RealMac); err != nil {
			t.Fatal(err)
		}
		if names := happens(); len(names) != 24 || slices.Contains(names, flaw.NoOpTap) {
			t.Errorf("%d: %q", len(names), names)
		}
	}
	st, _, err := m.Status(t.Context())
	if err != nil || st.Profile != virtualxcode.RealMac || len(st.Faults) != 0 {
		t.Errorf("%+v %v", st, err)
	}
	if err := m.Client().SetProfile(t.Context(), ""); err != nil || happens() != nil {
		t.Error(err, happens())
	}
}

func TestArmedFaultsRefuseDestinations(t *testing.T) {
	m := newMac(t)
	if err := project.Write(filepath.Join(m.dir, "Tally"), project.SampleApp); err != nil {
		t.Fatal(err)
	}
	build := "xcodebuild -project Tally/Tally.xcodeproj -scheme Tally -derivedDataPath DD -quiet -destination "
	m.run(build + "generic/platform=iOS+Simulator build-for-testing")
	m.run(build + "id=" + m.udid + " build")
	m.hard(flaw.IDAlone, flaw.GenericDestination)
	for line, specifier := range map[string]string{
		"generic/platform=iOS+Simulator build-for-testing": "generic:iOS Simulator",
		"id=" + m.udid + " build":                          "id:" + m.udid,
	} {
		if _, errs, exit := m.play(build + line); exit != 70 || !strings.Contains(errs, "Unable to find a destination matching the provided "+
			"destination specifier:\n\t\t{ "+specifier+" }\n") {
			t.Error(line, exit, errs)
		}
	}
	m.run(build + "platform=iOS+Simulator,id=" + m.udid + " build-for-testing")
	m.run(build + "generic/platform=iOS+Simulator build")
	bare := m.startAgent("-destination", "id="+m.udid)
	if exit := <-bare.exit; exit != 70 || bare.address != "" || !strings.Contains(bare.said.String(), "{ id:"+m.udid+" }") {
		t.Error(exit, bare.said)
	}
}

// Without -derivedDataPath a run leaves a folder; with it nothing is left elsewhere. Diagnostics are collected unless forbidden.
func TestRunWithoutDerivedDataLeavesTemporaryFolder(t *testing.T) {
	m := newMac(t)
	left := func(pattern string) []string {
		found, err := filepath.Glob(filepath.Join(m.dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	const temporary = "Library/Developer/Xcode/DerivedData/temporary-*"
	once := func(extra ...string) {
		t.Helper()
		r := m.startAgent(extra...)
		m.greet(r)
		r.interrupt()
		<-r.exit
	}
	once()
	if found := left(temporary); found != nil {
		t.Errorf("the kind world leaves %q", found)
	}
	m.hard(flaw.TemporaryDerivedData, flaw.CollectsDiagnostics)
	once("-derivedDataPath", "DD", "-collect-test-diagnostics", "never")
	if found, own := left(temporary), left("DD/Logs/Test/Test-Agent-*.xcresult"); found != nil || len(own) != 1 {
		t.Errorf("with a folder of its own it leaves %q and %q", found, own)
	}
	if found := left("DD/Logs/Test/simctl_diagnostics"); found != nil {
		t.Errorf("diagnostics, although never: %q", found)
	}
	once()
	if found := left(temporary + "/Logs/Test/Test-Agent-*.xcresult"); len(found) != 1 {
		t.Errorf("without a folder it leaves %q", found)
	}
	if found := left(temporary + "/Logs/Test/simctl_diagnostics/*"); len(found) != 1 {
		t.Errorf("without never it leaves %q", found)
	}
	if _, _, exit := m.play("xcodebuild test-without-building -collect-test-diagnostics Never"); exit != 64 {
		t.Errorf("a word that xcodebuild does not know: exit %d", exit)
	}
}

func TestSlowAgentBuildDelaysOnlyAgent(t *testing.T) {
	m := newMac(t)
	if err := project.Write(filepath.Join(m.dir, "Tally"), project.SampleApp); err != nil {
		t.Fatal(err)
	}
	took := func(agent string) time.Duration {
		x := m.Xcode
		x.Agent.Name = agent
		began := m.World().Now()
		var errs bytes.Buffer
		if exit := x.Play(t.Context(), "xcodebuild", virtualxcode.Call{Dir: m.dir, Stderr: &errs, Args: strings.Fields(
			"-project Tally/Tally.xcodeproj -scheme Tally -sdk iphonesimulator -derivedDataPath DD build-for-testing")}); exit != 0 {
			t.Fatal(errs.String())
		}
		return m.World().Now().Sub(began)
	}
	m.hard(flaw.SlowAgentBuild)
	if agent, other := took("Tally"), took("Agent"); agent != 70*time.Second || other != 0 {
		t.Errorf("a build of the agent took %s, one of something else %s", agent, other)
	}
}

func TestDevicectlPrintsJSONVersion5WhenArmed(t *testing.T) {
	m := newMac(t)
	list := func() (version int, devices []map[string]any) {
		t.Helper()
		var all struct {
			Info   struct{ JSONVersion int }
			Result struct{ Devices []map[string]any }
		}
		m.run("devicectl list devices --json-output out.json")
		data, err := os.ReadFile(filepath.Join(m.dir, "out.json"))
		if err == nil {
			err = json.Unmarshal(data, &all)
		}
		if err != nil {
			t.Fatal(err)
		}
		return all.Info.JSONVersion, all.Result.Devices
	}
	_, before := list()
	m.hard(flaw.DevicectlProperties)
	version, after := list()
	properties, _ := after[0]["properties"].(map[string]any)
	hardware, _ := properties["hardware"].(map[string]any)
	if version != 5 || hardware["udid"] == nil || after[0]["hardwareProperties"] != nil {
		t.Errorf("version %d: %v", version, after[0])
	}
	if simulators := len(m.World().Devices()); len(after) != len(before)+simulators {
		t.Errorf("%d devices, before %d and %d simulators", len(after), len(before), simulators)
	}
}

func TestOpenByNameOpensOtherSimulatorWhenArmed(t *testing.T) {
	m := newMac(t)
	path := filepath.Join(m.Dir, "Applications", "Simulator.app")
	shown := func() string {
		data, _ := os.ReadFile(filepath.Join(m.Dir, "LaunchServices", "shown.txt"))
		lines := strings.Fields(string(data))
		return lines[len(lines)-1]
	}
	m.run("open -a Simulator")
	if shown() != path {
		t.Error(shown())
	}
	m.hard(flaw.AnotherSimulator)
	m.run("open -a Simulator")
	if shown() == path {
		t.Error("by its name the right one is opened")
	}
	m.run("open -a " + path)
	if shown() != path {
		t.Error(shown())
	}
	m.hard(flaw.NoSimulatorApp)
	if _, errs, exit := m.play("open " + path); exit != 1 || !strings.Contains(errs, "does not exist") {
		t.Error(exit, errs)
	}
	m.run("open devices://device/open?id=" + m.udid)
	if !strings.HasSuffix(shown(), "Applications/DeviceHub.app") {
		t.Error(shown())
	}
}

// Xcode's own MCP server is found only where there is one.
func TestXcrunFindsXcodeMCPOnlyWhenArmed(t *testing.T) {
	m := newMac(t)
	for _, name := range []string{"mcp-server", "mcpbridge"} {
		if _, errs, exit := m.play("xcrun --find " + name); exit != 72 || !strings.Contains(errs, "unable to find utility \""+name) {
			t.Error(exit, errs)
		}
	}
	m.hard(flaw.XcodeMCP)
	for _, name := range []string{"mcp-server", "mcpbridge"} {
		if out, errs, exit := m.play("xcrun --find " + name); exit != 0 || !strings.HasSuffix(strings.TrimSpace(out), "/"+name) {
			t.Error(exit, out, errs)
		}
		if _, _, exit := m.play("xcrun " + name); exit != 72 {
			t.Errorf("%s can be run: %d", name, exit)
		}
	}
}

// A killed xcodebuild leaves its runner, which no other can be started beside until it has ended or somebody ends it.
func TestRunnerOutlivesXcodebuild(t *testing.T) {
	r := newRack(t)
	t.Chdir(newMac(t).dir) // for the .xctestrun
	r.ok("boot", "iPhone 16")
	st, _, err := r.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(st.Devices, func(d service.Device) bool { return d.State == string(world.Booted) })
	udid := st.Devices[i].UDID
	if err := r.Client().AddFault(t.Context(), flaw.Fault{Name: flaw.RunnerOutlives, Times: flaw.Forever}); err != nil {
		t.Fatal(err)
	}
	start := func() (*exec.Cmd, *bytes.Buffer, bool) {
		t.Helper()
		cmd := exec.Command(filepath.Join(r.Bin(), "xcodebuild"), "test-without-building", "-xctestrun",
			"Agent_iphonesimulator18.5-arm64.xctestrun", "-destination", "platform=iOS Simulator,id="+udid)
		cmd.Env = append(os.Environ(), "RUNNER_PORT=0", "RUNNER_TOKEN=secret")
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		address := firstAddress(out)
		return cmd, &said, address != ""
	}
	end := func(cmd *exec.Cmd, by syscall.Signal) {
		_ = cmd.Process.Signal(by)
		_ = cmd.Wait()
	}
	first, said, up := start()
	if !up {
		t.Fatal(said)
	}
	end(first, syscall.SIGKILL)
	second, said, up := start()
	if end(second, syscall.SIGKILL); up || !strings.Contains(said.String(), "still running") {
		t.Errorf("another runner beside the first: %s", said)
	}
	if _, _, exit := r.simctl("terminate", udid, "com.example.uitests.xctrunner"); exit == 0 {
		t.Error("another id ends something")
	}
	r.ok("terminate", udid, testRunnerID)
	third, said, up := start()
	if !up {
		t.Fatal(said)
	}
	end(third, syscall.SIGINT)
	fourth, said, up := start() // an interrupt ends the runner too
	if !up {
		t.Error(said)
	}
	end(fourth, syscall.SIGINT)
}

// hardAgent is an agent on the phone with the Shop in front, after a hello.
func (m *mac) hardAgent(spec virtualxcode.AgentSpec) *agentwire.Client {
	m.t.Helper()
	if err := virtualxcode.WriteApps(m.dir); err != nil {
		m.t.Fatal(err)
	}
	m.run("simctl install " + m.udid + " Conformance.app")
	m.run("simctl install " + m.udid + " Shop.app")
	m.run("simctl launch " + m.udid + " com.iosagent.shop")
	spec.UDID = m.udid
	agent, err := m.Client().Agent(m.t.Context(), spec)
	if err != nil {
		m.t.Fatal(err)
	}
	stream, err := agent.Stream(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	client := agentwire.NewClient(stream)
	m.t.Cleanup(func() { client.Close(); agent.Close() })
	if _, err := client.Hello(m.t.Context(), "", "test"); err != nil {
		m.t.Fatal(err)
	}
	m.send(client, &agentwire.SetTarget{Bundle: "com.iosagent.shop"})
	return client
}

func (m *mac) send(client *agentwire.Client, req agentwire.Request) {
	m.t.Helper()
	if _, err := agentwire.Ask[*agentwire.OK](m.t.Context(), client, req); err != nil {
		m.t.Fatal(err)
	}
}

// took is how much time of the devices a request takes.
func (m *mac) took(do func()) time.Duration {
	began := m.World().Now()
	do()
	return m.World().Now().Sub(began)
}

// The tree of an app behind another one is not read: XCTest would wait for it.
func TestAgentDoesNotReadBackgroundAppTree(t *testing.T) {
	m := newMac(t)
	client := m.hardAgent(virtualxcode.AgentSpec{})
	m.hard(flaw.BackgroundSnapshot)
	m.run("simctl launch " + m.udid + " com.iosagent.conformance")
	read := m.took(func() {
		if _, _, err := m.World().Snapshot(t.Context(), m.udid, "com.iosagent.shop"); err != nil {
			t.Error(err)
		}
	})
	if read != 90*time.Second {
		t.Errorf("the world lets XCTest wait %s", read)
	}
	for _, req := range []agentwire.Request{&agentwire.Look{}, &agentwire.GetTargetInfo{}, &agentwire.DumpTree{},
		&agentwire.FindElement{Selector: "x"}, &agentwire.Alert{}, &agentwire.Look{}} {
		if waited := m.took(func() { client.Do(t.Context(), req) }); waited > 5*time.Second {
			t.Errorf("%s waited %s", req.Opcode(), waited)
		}
	}
	seen, err := agentwire.Ask[*agentwire.Sight](t.Context(), client, &agentwire.Look{})
	if err != nil || seen.State != string(world.RunningBackground) || seen.JSON != "[]" {
		t.Errorf("%+v, %v", seen, err)
	}
}

// A tree with too many levels is read by parts, and is the same.
func TestDeepTreeIsReadInParts(t *testing.T) {
	m := newMac(t)
	client := m.hardAgent(virtualxcode.AgentSpec{})
	look := func() *agentwire.Sight {
		t.Helper()
		seen, err := agentwire.Ask[*agentwire.Sight](t.Context(), client, &agentwire.Look{Limits: agentwire.Limits{Depth: 1000}})
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	m.hard(flaw.DeepTree)
	whole := look()
	m.hard(flaw.SnapshotTooDeep)
	if _, _, err := m.World().Snapshot(t.Context(), m.udid, "com.iosagent.shop"); err == nil ||
		!strings.Contains(err.Error(), "kAXErrorIllegalArgument") {
		t.Errorf("the whole tree: %v", err)
	}
	if parts := look(); parts.JSON != whole.JSON || parts.Truncated != 0 {
		t.Errorf("by parts %d bytes and %d left out, whole %d bytes", len(parts.JSON), parts.Truncated, len(whole.JSON))
	}
}

// What XCTest does at the start keeps the main queue; a greeting does not need it.
func TestHelloDoesNotWaitForHeldMainQueue(t *testing.T) {
	m := newMac(t)
	m.hard(flaw.MainQueueHeld)
	var client *agentwire.Client
	if waited := m.took(func() {
		client = m.hardAgent(virtualxcode.AgentSpec{})
		m.send(client, &agentwire.Heartbeat{})
	}); waited >= 30*time.Second {
		t.Errorf("a hello, a SetTarget and a heartbeat waited %s", waited)
	}
	for i, want := range []time.Duration{30 * time.Second, 0} {
		if waited := m.took(func() { client.Do(t.Context(), &agentwire.GetTargetInfo{}) }); waited != want {
			t.Errorf("request %d waited %s, not %s", i, waited, want)
		}
	}
}

// keyUser is an agent under a hardship that undocumented keys of XCTest prevent.
type keyUser struct {
	agent virtualxcode.AgentSpec
	set   map[string]string // of the hardship
	stays bool              // the hardship changes nothing
}

func keyUsers() map[string]keyUser {
	return map[string]keyUser{
		"ours": {stays: true}, "public only": {agent: virtualxcode.AgentSpec{PublicOnly: true}},
		"all": {set: map[string]string{"agents": "all"}},
	}
}

// XCTest dismisses an alert of the app before an input, unless the agent switches that off, for which it needs undocumented keys.
func TestAppAlertIsDismissedUnlessAgentPreventsIt(t *testing.T) {
	for name, c := range keyUsers() {
		t.Run(name, func(t *testing.T) {
			m := newMac(t)
			client := m.hardAgent(c.agent)
			m.run("simctl launch " + m.udid + " com.iosagent.conformance")
			m.send(client, &agentwire.SetTarget{Bundle: "com.iosagent.conformance"})
			wait := new(uint64(5000))
			m.send(client, &agentwire.TapByLabel{Label: "Navigation", TimeoutMS: wait})
			m.send(client, &agentwire.TapElement{Selector: "nav-alert-button", TimeoutMS: wait})
			if err := m.World().AddFault(flaw.Fault{Name: flaw.DismissesAlerts, Times: flaw.Forever, Set: c.set}); err != nil {
				t.Fatal(err)
			}
			m.send(client, &agentwire.TapCoord{X: 200, Y: 20})
			m.send(client, &agentwire.Heartbeat{})
			found, err := agentwire.Ask[*agentwire.Found](t.Context(), client, &agentwire.FindElement{Selector: "nav-alert-ok"})
			if err != nil || (found.JSON != "null") != c.stays {
				t.Errorf("%+v, %v", found, err)
			}
		})
	}
}

// XCTest ends the test after a failed query, unless the agent prevents it, for which it needs undocumented keys.
func TestFailedQueryEndsAgentUnlessAgentPreventsIt(t *testing.T) {
	for name, c := range keyUsers() {
		t.Run(name, func(t *testing.T) {
			m := newMac(t)
			client := m.hardAgent(c.agent)
			if err := m.World().AddFault(flaw.Fault{Name: flaw.FailedQueryEnds, Times: flaw.Forever, Set: c.set}); err != nil {
				t.Fatal(err)
			}
			_, err := agentwire.Ask[*agentwire.Found](t.Context(), client, &agentwire.FindElement{Selector: "nobody-has-this"})
			if err != nil {
				t.Fatalf("an element that is not there is an answer, not a failure of XCTest: %v", err)
			}
			m.hard(flaw.AgentException)
			var no *agentwire.AgentError
			if _, err := client.Do(t.Context(), &agentwire.TapCoord{X: 200, Y: 20}); !errors.As(err, &no) {
				t.Errorf("the failed input: got %v, want the agent's error", err)
			}
			_, err = client.Do(t.Context(), &agentwire.Heartbeat{})
			if (err == nil) != c.stays {
				t.Errorf("a heartbeat after the failure: %v, want an answer %v", err, c.stays)
			}
		})
	}
}

// typeInto taps the e-mail field of the Shop, types a text, and returns the field's value and whether a keyboard is in the tree.
func (m *mac) typeInto(client *agentwire.Client, text string) (value string, keyboard *agentwire.Sight) {
	m.t.Helper()
	m.send(client, &agentwire.TapElement{Selector: "email-field", TimeoutMS: new(uint64(5000))})
	keyboard, err := agentwire.Ask[*agentwire.Sight](m.t.Context(), client, &agentwire.Look{Wait: agentwire.Wait{StableMS: 500, MaxMS: 5000}})
	if err != nil {
		m.t.Fatal(err)
	}
	m.send(client, &agentwire.TypeText{Text: text})
	got, err := agentwire.Ask[*agentwire.Value](m.t.Context(), client, &agentwire.GetValue{Selector: "email-field"})
	if err != nil || got.Text == nil {
		m.t.Fatal(got, err)
	}
	return *got.Text, keyboard
}

func TestHardwareKeyboardHidesSoftwareKeyboard(t *testing.T) {
	m := newMac(t)
	client := m.hardAgent(virtualxcode.AgentSpec{})
	m.hard(flaw.HardwareKeyboard)
	text, seen := m.typeInto(client, "ada@example.com")
	if text != "ada@example.com" || strings.Contains(seen.JSON, `"Keyboard"`) || !strings.Contains(seen.JSON, `"focused":true`) {
		t.Errorf("%q, %s", text, seen.JSON)
	}
}

func TestSmartPunctuationChangesTextUntilTurnedOff(t *testing.T) {
	m := newMac(t)
	client := m.hardAgent(virtualxcode.AgentSpec{})
	m.hard(flaw.SmartPunctuation)
	const plain = `"it's" -- so`
	if text, _ := m.typeInto(client, plain); text != "“it’s” — so" {
		t.Errorf("%q", text)
	}
	write := "simctl spawn " + m.udid + " defaults write com.apple.keyboard.preferences "
	m.run(write + "SmartQuotesEnabled -bool NO")
	m.send(client, &agentwire.Clear{})
	if text, _ := m.typeInto(client, plain); text != `"it's" — so` {
		t.Errorf("%q", text)
	}
	m.run(write + "SmartDashesEnabled -bool NO")
	m.send(client, &agentwire.Clear{})
	if text, _ := m.typeInto(client, plain); text != plain {
		t.Errorf("%q", text)
	}
}

func TestKeyboardIntroductionShowsUntilDismissed(t *testing.T) {
	m := newMac(t)
	client := m.hardAgent(virtualxcode.AgentSpec{})
	m.hard(flaw.KeyboardIntroduction)
	if _, seen := m.typeInto(client, "a"); !strings.Contains(seen.JSON, `"Continue"`) || strings.Contains(seen.JSON, `"space"`) {
		t.Error(seen.JSON)
	}
	m.send(client, &agentwire.TapByLabel{Label: "Continue", TimeoutMS: new(uint64(5000))})
	if _, seen := m.typeInto(client, "b"); !strings.Contains(seen.JSON, `"space"`) {
		t.Error(seen.JSON)
	}
	for _, key := range []string{"DidShowContinuousPathIntroduction", "DidShowGestureKeyboardIntroduction",
		"KeyboardDidShowProductivityTutorial"} {
		m.run("simctl spawn " + m.udid + " defaults write com.apple.keyboard.preferences " + key + " -bool YES")
	}
	m.run("simctl terminate " + m.udid + " com.iosagent.shop")
	m.run("simctl launch " + m.udid + " com.iosagent.shop")
	if _, seen := m.typeInto(client, "c"); strings.Contains(seen.JSON, `"Continue"`) {
		t.Error(seen.JSON)
	}
}
