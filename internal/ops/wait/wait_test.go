package wait_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/network"
	"ios-agent/internal/ops/screen"
	"ios-agent/internal/ops/wait"
	"ios-agent/internal/ui"
	"ios-agent/test/fakedevice"
)

// stand is a phone that shows a spinner and a field. Each look is counted; a test may change the screen at one.
type stand struct {
	*fakedevice.Room
	access access.Access
	phone  *fakedevice.Paper
	looks  int
	nodes  func(look int) []*ui.Node
}

func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{phone: &fakedevice.Paper{}}
	s.phone.Draw = func() []*ui.Node {
		s.looks++
		if s.nodes != nil {
			return s.nodes(s.looks)
		}
		return usual()
	}
	s.access = fakedevice.Reach(t, s.phone)
	look := screen.New(screen.Deps{Access: s.access, Home: t.TempDir(), Now: time.Now})
	net := network.New(network.Deps{Access: s.access, Services: network.Services{Proxy: proxy.New(proxy.Options{})}, Now: time.Now})
	s.Room = fakedevice.Open(t, wait.New(s.access, look, net).Ops())
	return s
}

func usual() []*ui.Node {
	return []*ui.Node{
		{Type: "ActivityIndicator", Identifier: "spinner", Frame: ui.Rect{X: 10, Y: 100, W: 40, H: 40}},
		{Type: "TextField", Identifier: "mail", Label: "Mail", Value: "a@b.c", Focused: true, Frame: ui.Rect{X: 10, Y: 200, W: 300, H: 40}},
		{Type: "Button", Identifier: "send", Label: "Send", Disabled: true, Frame: ui.Rect{X: 10, Y: 300, W: 300, H: 40}},
	}
}

// answer is a wait as clients read it.
type answer struct {
	Matched                   bool
	Polls                     int
	ElapsedMS                 int64 `json:"elapsed_ms"`
	Element                   *struct{ Ref, Identifier string }
	Screen, Snapshot, Outline string
	Changes                   []string
}

func TestConditionsThatHoldMatchAtOnce(t *testing.T) {
	for _, c := range []struct{ input, what, element string }{
		{`{"identifier":"mail"}`, `(visible)`, "mail"},
		{`{"identifier":"mail","condition":"exists"}`, `(exists)`, "mail"},
		{`{"identifier":"nothing","condition":"not_exists"}`, `(not_exists)`, ""},
		{`{"identifier":"nothing","condition":"gone"}`, `(gone)`, ""},
		{`{"identifier":"mail","condition":"enabled"}`, `(enabled)`, "mail"},
		{`{"identifier":"send","condition":"disabled"}`, `(disabled)`, "send"},
		{`{"identifier":"mail","condition":"focused"}`, `(focused)`, "mail"},
		{`{"identifier":"mail","condition":"value_equals","expected":"a@b.c"}`, `(value_equals)`, "mail"},
		{`{"identifier":"mail","condition":"value_contains","expected":"@b"}`, `(value_contains)`, "mail"},
		{`{"identifier":"send","condition":"value_equals","expected":""}`, `(value_equals)`, "send"},
		{`{"text":"Send"}`, `text "Send"`, "send"},
		{`{"condition":"text","expected":"Send"}`, `text "Send"`, "send"},
		{`{"condition":"text","text":"Send"}`, `text "Send"`, "send"},
	} {
		s, got := newStand(t), answer{}
		e := s.Must("wait", c.input, &got)
		if !got.Matched || got.Polls != 1 || got.Snapshot == "" || got.Screen != "Paper" {
			t.Errorf("%s: got %+v, want a match at the first look, and the screen", c.input, got)
		}
		line, _, _ := strings.Cut(e.Stdout, "\n")
		if !strings.Contains(line, c.what+" matched after ") {
			t.Errorf("%s: got %q, want %q matched", c.input, line, c.what)
		}
		if named := got.Element != nil; named != (c.element != "") || named && got.Element.Identifier != c.element {
			t.Errorf("%s: got the element %+v, want %q", c.input, got.Element, c.element)
		}
		if c.element != "" && !strings.Contains(line, "[ref="+strings.TrimPrefix(got.Element.Ref, "@")+"]") {
			t.Errorf("%s: got %q, want the element with its ref %s", c.input, line, got.Element.Ref)
		}
	}
}

func TestConditionsThatDoNotHoldTimeOut(t *testing.T) {
	for _, input := range []string{
		`"identifier":"nothing"`, `"identifier":"mail","condition":"not_exists"`, `"identifier":"mail","condition":"gone"`,
		`"identifier":"send","condition":"enabled"`, `"identifier":"mail","condition":"disabled"`, `"identifier":"send","condition":"focused"`,
		`"identifier":"mail","condition":"value_equals","expected":"a@b"`, `"identifier":"mail","condition":"value_contains","expected":"x"`,
		`"text":"Welcome"`,
	} {
		s := newStand(t)
		f := s.Refused("wait", `{`+input+`,"timeout":1}`, fault.Timeout, "did not match within ", hint.Do("snapshot")+" shows the screen")
		if strings.Contains(f.Hint, "proxy") {
			t.Errorf("%s: got the hint %q, want nothing of the proxy", input, f.Hint)
		}
		if s.looks < 4 {
			t.Errorf("%s: got %d looks, want one every quarter of a second", input, s.looks)
		}
		var got answer
		e := s.Must("wait", `{`+input+`,"timeout":1,"soft":true}`, &got)
		if got.Matched || got.Polls < 4 || got.ElapsedMS < 1000 || !strings.Contains(e.Stdout, " did not match after 1") {
			t.Errorf("%s softly: got %+v and %q, want an answer that it did not match", input, got, e.Stdout)
		}
	}
}

func TestTimeoutOfZeroLooksOnce(t *testing.T) {
	s, got := newStand(t), answer{}
	s.Must("wait", `{"identifier":"nothing","timeout":0,"soft":true}`, &got)
	if got.Matched || got.Polls != 1 || s.looks != 1 {
		t.Errorf("got %+v after %d looks, want one look", got, s.looks)
	}
}

func TestWaitEndsWhenTheConditionComesTrue(t *testing.T) {
	s, got := newStand(t), answer{}
	s.nodes = func(look int) []*ui.Node {
		if look < 3 {
			return usual()
		}
		return usual()[1:]
	}
	s.Must("wait", `{"identifier":"spinner","condition":"gone"}`, &got)
	if !got.Matched || got.Polls != 3 || got.ElapsedMS < 500 {
		t.Errorf("got %+v, want a match at the third look", got)
	}
}

func TestWaitShowsScreenOrItsChanges(t *testing.T) {
	s, first, second := newStand(t), answer{}, answer{}
	e := s.Must("wait", `{"identifier":"mail"}`, &first)
	if !strings.Contains(first.Outline, `"Send"`) || first.Changes != nil || !strings.HasSuffix(e.Stdout, "\n"+first.Outline) {
		t.Errorf("got %+v and\n%s\nwant the outline of a screen that was not shown before", first, e.Stdout)
	}
	s.nodes = func(int) []*ui.Node {
		return append(usual(), &ui.Node{Type: "StaticText", Label: "Sent", Frame: ui.Rect{X: 10, Y: 400, W: 300, H: 40}})
	}
	e = s.Must("wait", `{"text":"Sent"}`, &second)
	if second.Outline != "" || !strings.Contains(strings.Join(second.Changes, "\n"), `"Sent"`) || !strings.Contains(e.Stdout, "\n+") {
		t.Errorf("got %+v and\n%s\nwant only what changed", second, e.Stdout)
	}
	if ref := first.Element.Ref; !strings.HasPrefix(ref, "@e") {
		t.Errorf("got the ref %q, want one to act on", ref)
	} else {
		s.Must("wait", `{"ref":"`+ref+`","condition":"focused"}`, nil)
	}
}

func TestWaitRefusesInvalidInput(t *testing.T) {
	s := newStand(t)
	for _, c := range []struct{ input, field, says string }{
		{`{}`, "identifier", "no element to wait for"},
		{`{"condition":"gone"}`, "identifier", "or condition settled"},
		{`{"condition":"text"}`, "text", "the condition text needs text"},
		{`{"condition":"value_equals","identifier":"mail"}`, "expected", "the condition value_equals needs expected"},
		{`{"condition":"value_contains","identifier":"mail"}`, "expected", "the condition value_contains needs expected"},
		{`{"condition":"value_contains","identifier":"mail","expected":""}`, "expected", "the condition value_contains needs expected"},
		{`{"condition":"there"}`, "condition", "settled"},
		{`{"identifier":"mail","timeout":301}`, "timeout", "300"},
		{`{"request":"POST /order","text":"Sent"}`, "request", "request cannot be combined with other conditions"},
		{`{"request":"POST /order","condition":"settled"}`, "request", "request cannot be combined with other conditions"},
		{`{"request":"POST /order","expected":"x"}`, "request", "request cannot be combined with other conditions"},
		{`{"request":"POST /order","label":"x"}`, "request", "request cannot be combined with other conditions"},
		{`{"request":"POST /a b"}`, "request", "is not a method with a path"},
	} {
		if f := s.Refused("wait", c.input, fault.InvalidInput, c.says); f.Details["field"] != c.field {
			t.Errorf("%s: got the field %v, want %q", c.input, f.Details["field"], c.field)
		}
	}
	if s.looks != 0 {
		t.Errorf("got %d looks, want none", s.looks)
	}
}

func TestWaitForRequestRequiresProxy(t *testing.T) {
	s := newStand(t)
	s.Refused("wait", `{"request":"POST /order"}`, fault.ProxyNotRunning, "cannot wait for a request: the proxy does not run")
	s.Refused("wait", `{"request":"POST /order","udid":"X"}`, fault.DeviceNotFound, "X")
	s.Refused("wait", `{"identifier":"mail","udid":"X"}`, fault.DeviceNotFound, "X")
}

func TestGoneMatchesWhenAppDoesNotRun(t *testing.T) {
	s, got := newStand(t), answer{}
	s.phone.Blind = fault.New(fault.AppNotRunning, "it is not running")
	s.Must("wait", `{"identifier":"spinner","condition":"gone"}`, &got)
	if !got.Matched || got.Screen != "" || got.Snapshot != "" || got.Element != nil {
		t.Errorf("got %+v, want a match without a screen", got)
	}
	s.phone.Blind = fault.New(fault.AgentFailed, "fog")
	s.Refused("wait", `{"identifier":"spinner","condition":"gone"}`, fault.AgentFailed, "fog")
}

// A screen on which something is under way is not settled, and the answer says what is.
func TestSettledNamesRunningElements(t *testing.T) {
	bar := func(value string) func(int) []*ui.Node {
		return func(int) []*ui.Node {
			return []*ui.Node{{Type: "ProgressIndicator", Label: "Upload", Value: value, Frame: ui.Rect{X: 10, Y: 100, W: 300, H: 10}}}
		}
	}
	for _, c := range []struct {
		name    string
		nodes   func(look int) []*ui.Node
		seconds string
		running string // empty: it matches
	}{
		{"a spinner", nil, "1", `progressbar "spinner"`},
		{"a bar that has stood for a moment", bar("40%"), "1", `progressbar "Upload"`},
		{"a bar that moves", func(look int) []*ui.Node { return bar(strconv.Itoa(look) + "%")(look) }, "4", `progressbar "Upload"`},
		{"a bar that stands for long", bar("40%"), "10", ""},
		{"a full bar", bar("100%"), "1", ""},
		{"nothing under way", func(int) []*ui.Node { return usual()[1:] }, "1", ""},
	} {
		s, got := newStand(t), answer{}
		s.nodes = c.nodes
		if c.running != "" {
			s.Refused("wait", `{"condition":"settled","timeout":`+c.seconds+`}`, fault.Timeout, "still running: "+c.running)
		} else if s.Must("wait", `{"condition":"settled","timeout":`+c.seconds+`}`, &got); !got.Matched {
			t.Errorf("%s: got %+v, want a match", c.name, got)
		}
	}
}
