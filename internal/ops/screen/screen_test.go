package screen_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/screen"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/picture"
	"ios-agent/test/fakedevice"
)

// noon is when everything happens.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 5e6, time.UTC)

// stand is a phone with a title, a button and what a test adds.
type stand struct {
	*fakedevice.Room
	phone *fakedevice.Paper
	room  *screen.Screen
	home  string

	more []*ui.Node
}

func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{phone: &fakedevice.Paper{Pictures: [][]byte{photo(t, 800, 1600, color.White)}}, home: t.TempDir()}
	s.phone.Draw = s.draw
	s.room = screen.New(screen.Deps{Access: fakedevice.Reach(t, s.phone), Home: s.home, Now: func() time.Time { return noon }})
	s.Room = fakedevice.Open(t, s.room.Ops())
	return s
}

func (s *stand) draw() []*ui.Node {
	nodes := []*ui.Node{
		{Type: "NavigationBar", Identifier: "Shop", Label: "Shop", Frame: ui.Rect{Y: 40, W: 400, H: 50}},
		{Type: "Button", Identifier: "buy", Label: "Buy", Frame: ui.Rect{X: 100, Y: 200, W: 200, H: 40}},
	}
	for _, n := range s.more {
		fresh := *n
		nodes = append(nodes, &fresh)
	}
	return nodes
}

// photo is a PNG of one colour.
func photo(t *testing.T, w, h int, c color.Color) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// snapshot is a screen as clients read it.
type snapshot struct {
	ID, App, Screen, Timestamp string
	Changes                    []string
	Screenshot                 string
	Elements                   []struct{ Ref, Identifier, Label string }
	Size                       *picture.Size `json:"screenshot_size"`
}

func (s snapshot) labels() (all []string) {
	for _, e := range s.Elements {
		all = append(all, e.Label)
	}
	return all
}

func TestSnapshotHasOutlineAndElements(t *testing.T) {
	s, got := newStand(t), snapshot{}
	e := s.Must("snapshot", `{}`, &got)
	if got.App != fakedevice.App || got.Screen != "Shop" || got.Timestamp != "2026-01-02T12:00:00Z" || got.ID == "" || got.Screenshot != "" ||
		got.Size != nil {
		t.Errorf("got %+v, want the app, the title, the time, an id, and no picture", got)
	}
	if all := strings.Join(got.labels(), ","); !strings.Contains(all, "Shop") || !strings.Contains(all, "Buy") {
		t.Errorf("got the elements %s, want the bar and the button", all)
	}
	if !strings.Contains(e.Stdout, `button "Buy" [ref=`) {
		t.Errorf("got the outline\n%s\nwant the button with its ref", e.Stdout)
	}
	if len(s.phone.Sent) != 0 {
		t.Errorf("got the inputs %q, want none: a look changes nothing", s.phone.Sent)
	}
}

func TestSnapshotSinceReportsChangesOnly(t *testing.T) {
	s, first, second := newStand(t), snapshot{}, snapshot{}
	s.Must("snapshot", `{}`, &first)
	s.more = []*ui.Node{{Type: "StaticText", Label: "Sold out", Frame: ui.Rect{X: 10, Y: 300, W: 300, H: 30}}}
	e := s.Must("snapshot", `{"since":"screen:`+first.ID+`"}`, &second)
	if len(second.Changes) == 0 || !strings.Contains(strings.Join(second.Changes, "\n"), "Sold out") || strings.Contains(e.Stdout, `"Buy"`) ||
		e.Stdout != strings.Join(second.Changes, "\n") {
		t.Errorf("got the changes %q and the text\n%s\nwant only the new text", second.Changes, e.Stdout)
	}
	if len(e.Meta.Notices) != 0 {
		t.Errorf("got the notices %+v, want none: the answer tells what changed", e.Meta.Notices)
	}
	var again snapshot
	e = s.Must("snapshot", `{"since":"nonsense"}`, &again)
	if !strings.HasPrefix(e.Stdout, `unknown snapshot "nonsense"; this is the whole screen`+"\n") ||
		!strings.Contains(e.Stdout, `"Buy"`) || again.Changes != nil {
		t.Errorf("got\n%s\nwant the whole screen, and why", e.Stdout)
	}
}

func TestSnapshotReportsChangesSinceLastLook(t *testing.T) {
	s := newStand(t)
	s.Must("snapshot", `{}`, nil)
	s.more = []*ui.Node{{Type: "StaticText", Label: "Sold out", Frame: ui.Rect{X: 10, Y: 300, W: 300, H: 30}}}
	e := s.Must("snapshot", `{}`, nil)
	if len(e.Meta.Notices) != 1 || e.Meta.Notices[0].Kind != op.Meanwhile ||
		!strings.Contains(strings.Join(e.Meta.Notices[0].Lines, "\n"), "Sold out") {
		t.Errorf("got the notices %+v, want what changed since the last look", e.Meta.Notices)
	}
}

func TestSnapshotWithinShowsThatElementOnly(t *testing.T) {
	s, got := newStand(t), snapshot{}
	e := s.Must("snapshot", `{"within":"buy"}`, &got)
	if strings.Contains(e.Stdout, `navigation`) || !strings.Contains(e.Stdout, `"Buy"`) || len(got.Elements) != 1 {
		t.Errorf("got %d elements and\n%s\nwant the button only", len(got.Elements), e.Stdout)
	}
	s.Refused("snapshot", `{"within":"nothing"}`, fault.ElementNotFound, "nothing")
}

func TestSnapshotReadsToTheRequestedDepth(t *testing.T) {
	s := newStand(t)
	depth := 0
	room := screen.New(screen.Deps{Access: fakedevice.Reach(t, deep{s.phone, &depth}), Home: s.home, Now: time.Now})
	s.Room = fakedevice.Open(t, room.Ops())
	s.Must("snapshot", `{}`, nil)
	if depth != 0 {
		t.Errorf("got the depth %d, want the driver's own", depth)
	}
	s.Must("snapshot", `{"max_depth":7}`, nil)
	s.Must("snapshot", `{}`, nil)
	if depth != 7 {
		t.Errorf("got the depth %d, want 7 also in later looks", depth)
	}
}

func TestSnapshotIncludesScreenshotOnRequest(t *testing.T) {
	s, got := newStand(t), snapshot{}
	s.Must("snapshot", `{"screenshot":true}`, &got)
	data, is := strings.CutPrefix(got.Screenshot, "data:image/png;base64,")
	raw, err := base64.StdEncoding.DecodeString(data)
	if !is || err != nil || got.Size == nil {
		t.Fatalf("got the picture %.40q (%v, size %+v), want a PNG with its size", got.Screenshot, err, got.Size)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil || size.Height != 1024 || size.Width != 512 || got.Size.Width != 512 {
		t.Errorf("got %+v (%v) and %+v, want 512×1024 pixels: no more than models see", size, err, got.Size)
	}
	s.phone.Refuse = func(string) error { return errors.New("no light") }
	s.Refused("snapshot", `{"screenshot":true}`, fault.Internal, "no light")
}

func TestNoticeExplainsUnreadWebView(t *testing.T) {
	s := newStand(t)
	s.more = []*ui.Node{{Type: "WebView", Label: "Help", Frame: ui.Rect{Y: 300, W: 400, H: 400}}}
	for want, of := range map[string]device.Device{
		act.NoWebs + "; a server of appium can: " + hint.Do("session_set_defaults", "appiumUrl", "URL"): s.phone,
		"cannot read the page of a web view: it hangs":                                                  webs{s.phone},
	} {
		room := screen.New(screen.Deps{Access: fakedevice.Reach(t, of), Home: s.home, Now: time.Now})
		e := fakedevice.Open(t, room.Ops()).Must("snapshot", `{}`, nil)
		if len(e.Meta.Notices) != 1 || e.Meta.Notices[0].Kind != op.Config || e.Meta.Notices[0].Text != want {
			t.Errorf("got the notices %+v, want %q", e.Meta.Notices, want)
		}
	}
}

func TestScreenThatCannotBeReadIsAFault(t *testing.T) {
	s := newStand(t)
	s.phone.Blind = fault.New(fault.AgentFailed, "fog")
	for _, name := range []string{"snapshot", "get_element"} {
		s.Refused(name, map[string]string{"snapshot": `{}`, "get_element": `{"ref":"@e1"}`}[name], fault.AgentFailed, "fog")
	}
}

func TestGetElementReturnsAllFields(t *testing.T) {
	s := newStand(t)
	long := strings.Repeat("terms ", 40)
	s.more = []*ui.Node{{
		Type: "TextField", Identifier: "terms", Label: "Terms", Value: long, Placeholder: "type here", Focused: true, Selected: true,
		Disabled: true, Actions: []string{"Copy all"}, Frame: ui.Rect{X: 10.5, Y: 300, W: 300, H: 30},
	}}
	var got struct {
		Ref, Value string
		Frame      ui.Rect
		Actions    []ui.Action `json:"actions_available"`
		Locator    ui.Locator
	}
	e := s.Must("get_element", `{"identifier":"terms"}`, &got)
	want := got.Ref + " textbox (TextField)\nlabel: \"Terms\"\nvalue: \"" + long + "\"\nidentifier: \"terms\"\nplaceholder: \"type here\"\n" +
		"locator: identifier \"terms\"\nframe: x=10.5 y=300 w=300 h=30\nstate: disabled, focused, selected"
	if !strings.HasPrefix(e.Stdout, want) || !strings.HasSuffix(e.Stdout, "\ncustom action: \"Copy all\"") {
		t.Errorf("got\n%s\nwant it to begin with\n%s\nand to end with its custom action", e.Stdout, want)
	}
	if got.Value != long || got.Frame != (ui.Rect{X: 10.5, Y: 300, W: 300, H: 30}) {
		t.Errorf("got %+v, want the whole value and the frame", got)
	}
	if unique := (ui.Locator{Identifier: "terms", Matches: ui.Matches{Identifier: 1, RoleLabel: 1, Whole: 1}}); got.Locator != unique {
		t.Errorf("its locator is %+v, want %+v", got.Locator, unique)
	}
	e = s.Must("get_element", `{"identifier":"buy"}`, &got)
	if strings.Contains(e.Stdout, "state:") || strings.Contains(e.Stdout, "value:") ||
		!strings.Contains(e.Stdout, "\nactions: ") || len(got.Actions) == 0 {
		t.Errorf("got\n%s\nwant a button without states and with its actions", e.Stdout)
	}
	s.Refused("get_element", `{"identifier":"nothing"}`, fault.ElementNotFound, "nothing")
	s.Refused("get_element", `{}`, fault.InvalidInput, "ref")
}

func TestListRefsWorksWithoutReadingScreen(t *testing.T) {
	s := newStand(t)
	if e := s.Must("list_refs", `{}`, nil); e.Stdout != "no refs: this session has not seen a screen of the device" {
		t.Errorf("got %q, want it told that no screen was shown", e.Stdout)
	}
	s.Must("snapshot", `{}`, nil)
	s.phone.Blind = errors.New("fog")
	var got struct {
		Refs []ui.Given
		UDID string
	}
	e := s.Must("list_refs", `{}`, &got)
	if got.UDID != fakedevice.UDID || len(got.Refs) == 0 || !strings.Contains(e.Stdout, `  button "Buy"`) {
		t.Errorf("got %+v and %q, want the refs of the screen that was shown", got, e.Stdout)
	}
	s.Refused("list_refs", `{"udid":"X"}`, fault.DeviceNotFound, "X")
}

// deep notes how deep it is looked at.
type deep struct {
	*fakedevice.Paper
	depth *int
}

func (d deep) Observe(ctx context.Context, w device.Wait) (*ui.Screen, error) {
	*d.depth = w.Depth
	return d.Paper.Observe(ctx, w)
}

// webs is a phone whose pages cannot be read.
type webs struct{ *fakedevice.Paper }

func (webs) Page(context.Context, device.WebView) ([]*ui.Node, error) {
	return nil, errors.New("it hangs")
}

func TestAwaitMatchesTextOfChangedScreen(t *testing.T) {
	s := newStand(t)
	s.Must("snapshot", `{}`, nil)
	s.more = []*ui.Node{{Type: "StaticText", Label: "Sold out", Frame: ui.Rect{X: 10, Y: 300, W: 300, H: 30}}}
	c := &op.Call{Session: "a", Hints: op.ReadOnly}
	done, err := s.room.Await(t.Context(), c, target.Target{}, act.Waiting{Condition: ui.HasText, Value: "Sold out"})
	if err != nil || !done.Matched {
		t.Errorf("got %+v, %v, want a match", done, err)
	}
	if _, err := s.room.Await(t.Context(), c, target.Target{UDID: "X"}, act.Waiting{}); !fault.Is(err, fault.DeviceNotFound) {
		t.Errorf("got %v, want %s", err, fault.DeviceNotFound)
	}
}
