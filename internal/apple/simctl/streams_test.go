package simctl

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestStreamsUseExpectedCommandLines(t *testing.T) {
	tool := Tool{Env: []string{"DEVELOPER_DIR=/x"}}
	console := tool.Console("UDID", "a.b", LaunchOptions{Args: []string{"-mode", "$(x)"}, Env: map[string]string{"B": "2", "A": "1"}})
	if got := strings.Join(console.Args, "|"); got != "simctl|launch|--console-pty|--terminate-running-process|UDID|a.b|-mode|$(x)" {
		t.Error(got)
	}
	if !slices.Equal(console.Env, []string{"DEVELOPER_DIR=/x", "SIMCTL_CHILD_A=1", "SIMCTL_CHILD_B=2"}) {
		t.Error(console.Env)
	}
	const follow = "simctl|spawn|UDID|log|stream|--level=debug"
	some := LogOptions{Predicate: `subsystem == "a.b"`}
	if got := strings.Join(tool.LogStream("UDID", some).Args, "|"); got != follow+`|--predicate|subsystem == "a.b"` {
		t.Error(got)
	}
	if got := strings.Join(tool.LogStream("UDID", LogOptions{}).Args, "|"); got != follow {
		t.Error(got)
	}
	if got := strings.Join(tool.LogStream("UDID", LogOptions{Level: "default", Style: "ndjson"}).Args, "|"); got !=
		"simctl|spawn|UDID|log|stream|--level=default|--style=ndjson" {
		t.Error(got)
	}
	since := time.Unix(1767366245, 999)
	for level, flags := range map[string]string{"default": "", "info": "|--info", "debug": "|--info|--debug", "": "|--info|--debug"} {
		got := strings.Join(tool.LogShow("UDID", LogOptions{Level: level, Style: "ndjson", Predicate: "x"}, since).Args, "|")
		if got != "simctl|spawn|UDID|log|show|--start|@1767366245"+flags+"|--style=ndjson|--predicate|x" {
			t.Error(got)
		}
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

// FuzzFromProcess: a name stays inside its quotes, and is the same name when it is read back.
func FuzzFromProcess(f *testing.F) {
	for _, s := range []string{"Shop", `a" OR "1" == "1`, `a\`, `\"`, `\\" OR 1 == 1 --`, "a\nb", "", "Ünï cödé", "'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p, err := FromProcess(name)
		if err != nil {
			return
		}
		quoted, found := strings.CutPrefix(p, `process == "`)
		var read []byte
		i := 0
		for ; i < len(quoted) && quoted[i] != '"'; i++ {
			if quoted[i] == '\\' {
				i++
			}
			read = append(read, quoted[i])
		}
		if !found || i != len(quoted)-1 || string(read) != name {
			t.Errorf("%q makes %s", name, p)
		}
	})
}
