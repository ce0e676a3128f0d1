package house_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestChildProcessesGetNoSecrets calls every operation in a process whose environment is full of secrets, by names that say so and by
// names that do not, and looks at what each program that is started gets: what the user named, what the call gave it, and
// nothing else of it.
func TestChildProcessesGetNoSecrets(t *testing.T) {
	const canary = "environment-canary"
	for _, name := range []string{
		"IOS_AGENT_SECRET_SHOP", "IOS_AGENT_MODEL_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "NPM_CONFIG__AUTH", "PGPASSWORD",
		"AWS_SECRET_ACCESS_KEY", "MATCH_PASSWORD", "FASTLANE_SESSION", "DATABASE_URL", "LC_TOKEN", "XDG_PASSWORD", "TEST_RUNNER_API_KEY",
		"SIMCTL_CHILD_PASSWORD", "OF_NO_KNOWN_NAME", "DYLD_INSERT_LIBRARIES", "XCODE_AUTH_TOKEN",
	} {
		t.Setenv(name, canary+"-"+name)
	}
	t.Setenv("OF_THE_USER", "as-named")
	t.Setenv("MY_BUILD_FLAVOUR", "mint")
	t.Setenv("LC_ALL", "C")
	seen := &children{programs: map[string]int{}}
	h := house.New(t, house.Options{Programs: seen.watch, Inherit: []string{"OF_THE_USER", "MY_BUILD_*"}})
	h.Boot("a", drivertest.Conformance)
	files := h.Files()
	for i, o := range h.Product.Catalogue.Ops() {
		if o.Streams() || !sampled(i, 4) {
			continue
		}
		input := files.Example(o, h.Product.Catalogue.ID(o))
		input["session"] = "a"
		timed(t, h, o, input)
	}
	given := h.Call("a", "test_sim", in{"projectPath": files.Project, "scheme": files.Scheme, "simulatorName": house.Device,
		"testRunnerEnv": map[string]string{"GIVEN": canary + "-given"}})
	if given.Error == nil || given.Error.Code != fault.TestsNotRun {
		t.Error(given.Text())
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	for _, name := range []string{"xcodebuild", "simctl", "devicectl", "swift"} {
		if seen.programs[name] == 0 && full() {
			t.Errorf("no operation started %s: %v", name, seen.programs)
		}
	}
	leaked, told := map[string]bool{}, 0
	for _, in := range seen.starts {
		for name, value := range in.Env {
			switch {
			case value == canary+"-given" && name == "TEST_RUNNER_GIVEN":
				told++
			case strings.Contains(value, canary):
				leaked[name] = true
			}
		}
		if in.Env["OF_THE_USER"] != "as-named" || in.Env["MY_BUILD_FLAVOUR"] != "mint" || in.Env["LC_ALL"] != "C" || in.Env["PATH"] == "" {
			t.Fatalf("%v has no environment to work in: %v", in.Args, in.Env)
		}
	}
	if len(leaked) > 0 || told == 0 {
		t.Errorf("%d starts: leaked %v, given by the call %d", len(seen.starts), leaked, told)
	}
}

// children remembers how programs were started.
type children struct {
	mu       sync.Mutex
	programs map[string]int
	starts   []host.Invocation
}

// watch remembers a start. A program that Virtual Xcode does not have, such as swift, does nothing.
func (c *children) watch(name string, tool host.Main) host.Main {
	return func(ctx context.Context, in host.Invocation) int {
		c.started(name, in)
		if tool == nil {
			return 0
		}
		return tool(ctx, in)
	}
}

func (c *children) started(name string, in host.Invocation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name = filepath.Base(name); name == "xcrun" && len(in.Args) > 0 {
		name = in.Args[0]
	}
	c.programs[name]++
	c.starts = append(c.starts, in)
}
