package session_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	sessionops "ios-agent/internal/ops/session"
	"ios-agent/internal/ui"
	"ios-agent/test/fakedevice"
)

func defaultsOf(t *testing.T) (*fakedevice.Room, *sessionops.Defaults) {
	t.Helper()
	room := sessionops.NewDefaults(session.NewStore(session.Options{}), config.Keys())
	return fakedevice.Open(t, room.Ops()), room
}

func TestDefaultsAreSetShownAndCleared(t *testing.T) {
	run, _ := defaultsOf(t)
	const none = "session defaults, profile (default)\nno values set"
	run.Says("session_show_defaults", `{}`, none)
	run.Says("session_set_defaults", `{"scheme":"Shop","env":["A=1"]}`,
		"session defaults, profile (default)\nscheme: Shop (session session_set_defaults)\nenv: map[A:1] (session session_set_defaults)")
	run.Says("session_set_defaults", `{"configuration":"Debug"}`,
		"session defaults, profile (default)\nscheme: Shop (session session_set_defaults)\n"+
			"configuration: Debug (session session_set_defaults)\nenv: map[A:1] (session session_set_defaults)")
	if e := run.As("b", "session_show_defaults", `{}`); e.Error != nil || e.Stdout != none {
		t.Errorf("another session: got %v and %q, want none", e.Error, e.Stdout)
	}
	run.Says("session_clear_defaults", `{"keys":["env","scheme"]}`,
		"session defaults, profile (default)\nconfiguration: Debug (session session_set_defaults)")
	run.Says("session_clear_defaults", `{}`, none)
	run.Result("session_set_defaults", `{"scheme":"Shop"}`)
	run.Says("session_clear_defaults", `{"all":true}`, none)
}

func TestProfilesAreMadeAndUsed(t *testing.T) {
	run, _ := defaultsOf(t)
	run.Result("session_set_defaults", `{"scheme":"Shop"}`)
	run.Refused("session_set_defaults", `{"profile":"ci","scheme":"Tests"}`, fault.InvalidInput, "ci")
	const ci = "session defaults, profile ci\nscheme: Tests (session session_set_defaults)\nprofiles: (default), ci"
	run.Says("session_set_defaults", `{"profile":"ci","createIfNotExists":true,"scheme":"Tests"}`, ci)
	run.Says("session_use_defaults_profile", `{"global":true}`,
		"session defaults, profile (default)\nscheme: Shop (session session_set_defaults)\nprofiles: (default), ci")
	run.Says("session_use_defaults_profile", `{"profile":"ci"}`, ci)
	run.Refused("session_use_defaults_profile", `{"profile":"nightly"}`, fault.InvalidInput, "nightly")
	run.Refused("session_use_defaults_profile", `{}`, fault.InvalidInput, "profile", "global")
	run.Refused("session_use_defaults_profile", `{"profile":"ci","global":true}`, fault.InvalidInput, "global")
	run.Result("session_clear_defaults", `{"profile":"ci"}`)
	run.Refused("session_clear_defaults", `{"all":true,"profile":"ci"}`, fault.InvalidInput, "profile")
}

func TestDefaultsRefuseWrongValues(t *testing.T) {
	run, _ := defaultsOf(t)
	run.Refused("session_set_defaults", `{"env":["A"]}`, fault.InvalidInput, "NAME=VALUE")
	run.Refused("session_set_defaults", `{"arch":"vax"}`, fault.InvalidInput, "arch")
	run.Refused("session_set_defaults", `{"simulatorId":"A","simulatorName":"Ann"}`, fault.InvalidInput, "simulatorName")
	run.Refused("session_set_defaults", `{"colour":"red"}`, fault.InvalidInput, "colour")
	run.Refused("session_clear_defaults", `{"keys":["colour"]}`, fault.InvalidInput, "colour")
	run.Says("session_show_defaults", `{}`, "session defaults, profile (default)\nno values set")
}

func TestPersistWritesTheProjectsFile(t *testing.T) {
	run, _ := defaultsOf(t)
	dir := t.TempDir()
	file := filepath.Join(dir, ".ios-agent", "config.yaml")
	call := op.Call{Session: "a", Dir: dir}
	if e := run.By(call, "session_set_defaults", `{"scheme":"Shop"}`); e.Error != nil {
		t.Fatal(e.Error)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("without persist: got a file, want none")
	}
	for _, step := range [][2]string{
		{"session_set_defaults", `{"profile":"ci","createIfNotExists":true,"scheme":"Tests","persist":true}`},
		{"session_use_defaults_profile", `{"profile":"ci","persist":true}`},
	} {
		if e := run.By(call, step[0], step[1]); e.Error != nil {
			t.Fatalf("%s: got %s, want success", step[0], e.Error.Message)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "Tests") || strings.Contains(string(text), "Shop") {
		t.Errorf("got %q and %v, want what was persisted", text, err)
	}
	e := run.By(op.Call{Session: "new", Dir: dir}, "session_show_defaults", `{}`)
	if e.Error != nil || !strings.HasPrefix(e.Stdout, "session defaults, profile ci\nscheme: Tests (") {
		t.Errorf("a new session: got %v and %q, want the profile of the file", e.Error, e.Stdout)
	}
}

func TestNoticeNamesAnInvalidVariable(t *testing.T) {
	run, _ := defaultsOf(t)
	call := op.Call{Session: "a", Env: map[string]string{"IOS_AGENT_ARCH": "vax", "IOS_AGENT_SCHEME": "Shop"}}
	for _, step := range [][2]string{
		{"session_show_defaults", `{}`}, {"session_set_defaults", `{"configuration":"Debug"}`},
		{"session_use_defaults_profile", `{"global":true}`}, {"session_clear_defaults", `{"keys":["configuration"]}`},
	} {
		e := run.By(call, step[0], step[1])
		if e.Error != nil || len(e.Meta.Notices) != 1 || e.Meta.Notices[0].Kind != op.Config ||
			!strings.Contains(e.Meta.Notices[0].Text, "IOS_AGENT_ARCH") {
			t.Errorf("%s: got %v and the notices %v, want one about the variable", step[0], e.Error, e.Meta.Notices)
		}
		if !strings.Contains(e.Stdout, "\nscheme: Shop (env IOS_AGENT_SCHEME)") {
			t.Errorf("%s: got %q, want the scheme of the environment", step[0], e.Stdout)
		}
	}
}

func TestCompleterUsesSessionDefaults(t *testing.T) {
	run, room := defaultsOf(t)
	run.Result("session_set_defaults", `{"scheme":"Shop"}`)
	got, err := room.Completer(complete.Completion{})(&op.Call{Session: "a"}, []op.Field{{Name: "scheme"}}, op.Input{})
	if err != nil || string(got.Input["scheme"]) != `"Shop"` {
		t.Errorf("got %s and %v, want the scheme", got.Input["scheme"], err)
	}
}

var began = time.Date(2026, 1, 2, 13, 0, 0, 0, time.FixedZone("x", 3600))

func statusOf(t *testing.T, reach access.Access, jobs *op.Jobs) *fakedevice.Room {
	t.Helper()
	room := sessionops.NewStatus(sessionops.StatusDeps{Access: reach, Jobs: jobs, PID: 7, URL: "http://x", StartedAt: began})
	return fakedevice.Open(t, room.Ops())
}

func TestStatusShowsSessionDevice(t *testing.T) {
	ann := fakedevice.New(fakedevice.Simulator("A", "Ann", device.Booted))
	reach := fakedevice.Reach(t, ann, fakedevice.New(fakedevice.Simulator("B", "Bea", "shutdown")))
	run := statusOf(t, reach, &op.Jobs{})
	const head = "daemon:  pid 7, http://x\nsession: a\ndevice:  "
	const tail = "\nbooted:  Ann\ntools:   core, unless .ios-agent/config.yaml names others"
	run.Says("status", `{}`, head+"none chosen"+tail)
	mine := reach.Sessions.Get("a")
	mine.Use(session.Choice{UDID: "B", Name: "Bea"})
	run.Says("status", `{}`, head+"Bea (iOS 18.2), shutdown, available"+tail)
	mine.Use(session.Choice{UDID: "X", Name: "Old"})
	run.Says("status", `{}`, head+"Old, not found: choose another with "+hint.Do("use_device", "device", "NAME")+tail)
	mine.Use(session.Choice{Name: "Editor"})
	run.Says("status", `{}`, head+"Editor, not found: choose another with "+hint.Do("use_device", "device", "NAME")+tail)
	mine.Use(session.Choice{UDID: "A", Name: "Ann"})
	mine.Refs(func(r *ui.Refs) { r.Remember("A", ui.NewScreen("com.example.shop", "", &ui.Node{Type: "Application"})) })
	run.Says("status", `{}`, head+"Ann (iOS 18.2), booted, available\napp:     com.example.shop, at this session's last look"+tail)
	grants, _, err := reach.Pool.Acquire(t.Context(), pool.Ask{Want: pool.Want{UDID: "A"}, Holder: "b"})
	if err != nil {
		t.Fatal(err)
	}
	until := grants[0].Entry().ExpiresAt.Format(time.RFC3339)
	run.Says("status", `{}`, head+"Ann (iOS 18.2), booted, claimed by b until "+until+
		"\napp:     com.example.shop, at this session's last look"+tail)
	out := run.Result("status", `{}`)
	if out["pid"] != 7.0 || out["server_url"] != "http://x" || out["started_at"] != "2026-01-02T12:00:00Z" || out["session"] != "a" {
		t.Errorf("got %v, want the daemon and the session", out)
	}
	if got := len(ann.Did()); got > 0 {
		t.Errorf("got %d questions to the device, want none", got)
	}
}

func TestStatusNamesTheClientsTools(t *testing.T) {
	run := statusOf(t, fakedevice.Reach(t), &op.Jobs{})
	e := run.By(op.Call{Session: "a", Env: map[string]string{sessionops.ToolsVariable: "ui,app"}}, "status", `{}`)
	if want := "daemon:  pid 7, http://x\nsession: a\ndevice:  none chosen\ntools:   ui,app"; e.Error != nil || e.Stdout != want {
		t.Errorf("got %v and %q, want %q", e.Error, e.Stdout, want)
	}
	broken := fakedevice.Over(t, pool.Options{Drivers: []device.Driver{&fakedevice.Driver{Err: fault.New(fault.ToolFailed, "no simctl")}}})
	statusOf(t, broken, &op.Jobs{}).Refused("status", `{}`, fault.ToolFailed, "no simctl")
}

func TestStatusListsTheSessionsJobs(t *testing.T) {
	jobs := &op.Jobs{After: time.Nanosecond, Keep: time.Hour}
	slow := op.New(op.Spec{Name: "slow", Groups: []string{"app"}, Route: "POST /slow", Summary: "Take long", Long: true},
		func(ctx context.Context, c *op.Call, _ struct{}) (struct{}, error) {
			c.Progress("half way")
			<-ctx.Done()
			return struct{}{}, ctx.Err()
		})
	t.Cleanup(func() { jobs.CancelAll(context.Background()) })
	if e := op.NewCatalogue([]op.Op{slow}, op.Options{Jobs: jobs}).Run(t.Context(), "slow", op.Call{Session: "a"}, nil); e.Error != nil {
		t.Fatal(e.Error)
	}
	run := statusOf(t, fakedevice.Reach(t), jobs)
	if e := run.As("a", "status", `{}`); e.Error != nil || !strings.Contains(e.Stdout, " (slow), ") {
		t.Errorf("got %v and %q, want the job", e.Error, e.Stdout)
	}
	if e := run.As("b", "status", `{}`); e.Error != nil || strings.Contains(e.Stdout, "job: ") {
		t.Errorf("another session: got %v and %q, want no job", e.Error, e.Stdout)
	}
}
