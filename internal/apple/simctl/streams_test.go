package simctl

import (
	"slices"
	"strings"
	"testing"
)

func TestStreamsCommandLines(t *testing.T) {
	tool := Tool{Env: []string{"DEVELOPER_DIR=/x"}}
	console := tool.Console("UDID", "a.b", LaunchOptions{Args: []string{"-mode", "$(x)"}, Env: map[string]string{"B": "2", "A": "1"}})
	if got := strings.Join(console.Args, "|"); got != "simctl|launch|--console-pty|--terminate-running-process|UDID|a.b|-mode|$(x)" {
		t.Error(got)
	}
	if !slices.Equal(console.Env, []string{"DEVELOPER_DIR=/x", "SIMCTL_CHILD_A=1", "SIMCTL_CHILD_B=2"}) {
		t.Error(console.Env)
	}
	const follow = "simctl|spawn|UDID|log|stream|--level=debug"
	if got := strings.Join(tool.LogStream("UDID", `subsystem == "a.b"`).Args, "|"); got != follow+`|--predicate|subsystem == "a.b"` {
		t.Error(got)
	}
	if got := strings.Join(tool.LogStream("UDID", "").Args, "|"); got != follow {
		t.Error(got)
	}
	if pid, ok := ConsolePID("a.b: 4211", "a.b"); !ok || pid != 4211 {
		t.Error(pid, ok)
	}
	if _, ok := ConsolePID("a.b says: hello", "a.b"); ok {
		t.Error("what the app prints was taken for its pid")
	}
}

// FuzzFromSubsystems: whatever is let into a predicate, it stays inside its quotes.
func FuzzFromSubsystems(f *testing.F) {
	for _, s := range []string{"com.example.app", `a" OR "1" == "1`, "a\nb", `a\`, ""} {
		f.Add(s, "b")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		p, err := FromSubsystems(a, b)
		if err == nil && (strings.Count(p, `"`) != 4 || strings.ContainsAny(a+b, "\"\\\n ()'")) {
			t.Errorf("%q and %q make %s", a, b, p)
		}
	})
}
