package conformance

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// opened are the ways a client may open a conversation, by version.
var opened = map[string]func(c *client){
	"2025-06-18": func(c *client) { c.initialize("2025-06-18") },
	"2025-11-25": func(c *client) { c.initialize("2025-11-25") },
	sessionless:  func(c *client) { c.standAlone() },
}

// everyVersion runs a test in each of them.
func everyVersion(t *testing.T, test func(t *testing.T, open func(*client))) {
	for version, open := range opened {
		t.Run(version, func(t *testing.T) { test(t, open) })
	}
}

// Clients give a server little time to answer; a daemon that has to start first would take it all.
func TestInitializeSendsNoCalls(t *testing.T) {
	for asked, want := range map[string]string{
		"2025-06-18": "2025-06-18",
		"2025-11-25": "2025-11-25",
		sessionless:  "2025-11-25", // has no initialize: the answer is the newest version that has
		"1999-01-01": "2025-11-25",
	} {
		d := &desk{}
		if agreed := dial(t, d.server(t)).initialize(asked); agreed != want {
			t.Errorf("asked for %s, agreed on %s, want %s", asked, agreed, want)
		}
		if n := d.calls.Load(); n != 0 {
			t.Errorf("%s: got %d calls, want 0", asked, n)
		}
	}
}

func TestDiscoverListsSupportedVersions(t *testing.T) {
	d := &desk{}
	c := dial(t, d.server(t))
	c.standAlone()
	var found struct {
		SupportedVersions []string
		ResultType        string
		Instructions      string
	}
	c.ask("server/discover", map[string]any{}, &found)
	for _, version := range []string{sessionless, "2025-11-25", "2025-06-18"} {
		if !slices.Contains(found.SupportedVersions, version) {
			t.Errorf("%s is not among %v", version, found.SupportedVersions)
		}
	}
	if found.ResultType != "complete" || found.Instructions == "" || d.calls.Load() != 0 {
		t.Errorf("%+v after %d calls", found, d.calls.Load())
	}
}

func TestListSendsNoCalls(t *testing.T) {
	everyVersion(t, func(t *testing.T, open func(*client)) {
		d := &desk{}
		c := dial(t, d.server(t))
		open(c)
		var list struct{ Tools []struct{ Name string } }
		c.ask("tools/list", map[string]any{}, &list)
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		if want := []string{"call_tool", "find_tools", "work"}; !slices.Equal(names, want) || d.calls.Load() != 0 {
			t.Errorf("got tools %v after %d calls, want %v after 0", names, d.calls.Load(), want)
		}
	})
}

func TestUnknownToolIsAProtocolError(t *testing.T) {
	everyVersion(t, func(t *testing.T, open func(*client)) {
		c := dial(t, (&desk{}).server(t))
		open(c)
		m := c.await(c.begin("tools/call", map[string]any{"name": "no_such"}))
		if m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%+v", m)
		}
	})
}

func TestFaultIsReturnedAsToolResult(t *testing.T) {
	everyVersion(t, func(t *testing.T, open func(*client)) {
		d := &desk{work: func(context.Context, func(op.Event)) op.Envelope {
			return op.Failed(fault.New(fault.NoDevice, "no simulator is booted").WithHint("boot one"), op.Meta{})
		}}
		c := dial(t, d.server(t))
		open(c)
		var answer struct {
			IsError           bool
			Content           []struct{ Type, Text string }
			StructuredContent struct{ Error struct{ Code, Hint string } }
		}
		c.ask("tools/call", map[string]any{"name": "work"}, &answer)
		if !answer.IsError || answer.StructuredContent.Error.Code != "NO_DEVICE" || len(answer.Content) != 1 ||
			!strings.Contains(answer.Content[0].Text, "hint: boot one") {
			t.Errorf("%+v", answer)
		}
	})
}

func TestCancelledCallEnds(t *testing.T) {
	everyVersion(t, func(t *testing.T, open func(*client)) {
		d, begun, cancelled := hanging(t)
		c := dial(t, d.server(t))
		open(c)
		id := c.begin("tools/call", map[string]any{"name": "work"})
		wait(t, begun, "the call did not begin")
		c.write(map[string]any{"method": "notifications/cancelled", "params": map[string]any{"requestId": id, "reason": "changed my mind"}})
		wait(t, cancelled, "the caller was not told")
		c.ask("tools/list", map[string]any{}, &struct{}{}) // and the session goes on
	})
}

// Events with and without numbers, as a job reports them; what comes after the answer is nobody's business.
func TestProgressNumbersIncrease(t *testing.T) {
	everyVersion(t, func(t *testing.T, open func(*client)) {
		var late func(op.Event)
		d := &desk{work: func(_ context.Context, progress func(op.Event)) op.Envelope {
			for _, e := range []op.Event{{Message: "began"}, {Message: "booting"}, {Done: 0.5, Total: 3}, {Message: "warming up"},
				{Done: 0.5, Total: 3}, {Done: 3, Total: 3}} {
				progress(e)
			}
			late = progress
			return op.Succeeded(struct{}{}, op.Meta{})
		}}
		c := dial(t, d.server(t))
		open(c)
		c.ask("tools/call", map[string]any{"name": "work", "_meta": map[string]any{"progressToken": "p1"}}, &struct{}{})
		late(op.Event{Message: "too late"})
		c.ask("tools/list", map[string]any{}, &struct{}{})
		if told := rising(t, c.notes); told != 6 {
			t.Errorf("told %d times", told)
		}
	})
}

// rising counts the progress notifications and fails where one does not rise.
func rising(t *testing.T, notes []message) (told int) {
	t.Helper()
	last := -1.0
	for _, n := range notes {
		var p struct {
			ProgressToken string
			Progress      float64
		}
		if n.Method != "notifications/progress" {
			continue
		}
		if err := json.Unmarshal(n.Params, &p); err != nil || p.ProgressToken != "p1" || p.Progress <= last {
			t.Errorf("after %v: %s %v", last, n.Params, err)
		}
		last = p.Progress
		told++
	}
	return told
}

func wait(t *testing.T, event <-chan struct{}, otherwise string) {
	t.Helper()
	select {
	case <-event:
	case <-time.After(patience):
		t.Fatal(otherwise)
	}
}
