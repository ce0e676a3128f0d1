package virtualxcode_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode"
)

// TestInProcessXcodeRunsAppAndAgent boots a simulator, installs and launches an app and looks at it through an agent, all in this process.
func TestInProcessXcodeRunsAppAndAgent(t *testing.T) {
	p, err := virtualxcode.NewInProcess(virtualxcode.InProcessOptions{Agent: scheme})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	dir := t.TempDir()
	if err := virtualxcode.WriteApps(dir); err != nil {
		t.Fatal(err)
	}
	run := func(line string) string {
		t.Helper()
		words := strings.Fields(line)
		var out, errs bytes.Buffer
		if exit := p.Play(t.Context(), words[0], virtualxcode.Call{Args: words[1:], Dir: dir, Stdout: &out, Stderr: &errs}); exit != 0 {
			t.Fatalf("%s: exit %d\n%s", line, exit, errs.String())
		}
		return out.String()
	}
	st, running, err := p.Status(t.Context())
	if err != nil || !running || len(st.Devices) == 0 {
		t.Fatalf("%+v %v %v", st, running, err)
	}
	udid := st.Devices[0].UDID
	run("xcrun simctl boot " + udid)
	if answers, variables := virtualxcode.Inside(filepath.Join(dir, "Shop.app")); !slices.Equal(answers, []string{"POST /orders"}) ||
		!slices.Contains(variables, "SHOP_API") {
		t.Errorf("the Shop answers %q itself and reads %q, want its orders, and the variable of its server", answers, variables)
	}
	run("simctl install " + udid + " Shop.app") // relative to the call's folder, not to that of this process
	if said := run("simctl launch " + udid + " com.iosagent.shop"); !strings.HasPrefix(said, "com.iosagent.shop: ") {
		t.Error(said)
	}
	if st, _, err := p.Status(t.Context()); err != nil || st.Devices[0].App != "com.iosagent.shop" {
		t.Errorf("%+v %v", st.Devices[0], err)
	}
	if said := run("xcrun --find simctl"); said != filepath.Join(p.Bin(), "simctl")+"\n" {
		t.Error(said)
	}

	agent, err := p.Client().Agent(t.Context(), virtualxcode.AgentSpec{UDID: udid, Token: "secret", Build: "b"})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	stream, err := agent.Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if hello, err := agentwire.NewClient(stream).Hello(t.Context(), "secret", "test"); err != nil || hello.UDID != udid {
		t.Error(hello, err)
	}
}

func TestUnknownToolExitsWith127(t *testing.T) {
	var errs bytes.Buffer
	exit := virtualxcode.Xcode{}.Play(t.Context(), "frobnicate", virtualxcode.Call{Stderr: &errs})
	if exit != 127 || !strings.Contains(errs.String(), "frobnicate") {
		t.Error(exit, errs.String())
	}
}
