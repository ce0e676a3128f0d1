package access_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/test/fakedevice"
)

func itoa(n int) string { return strconv.Itoa(n) }

// kinds are types of elements: several of one are told in one line.
var kinds = []string{"Button", "Switch", "TextField", "Slider", "Link", "StaticText", "Cell", "SearchField"}

// screen is an app with one element for each label.
func screen(app string, labels ...string) *ui.Screen {
	root := &ui.Node{Type: "Application", Label: "App", Frame: ui.Rect{W: 400, H: 800}}
	for i, label := range labels {
		root.Children = append(root.Children,
			&ui.Node{Type: kinds[i%len(kinds)], Identifier: "b" + itoa(i), Label: label, Frame: ui.Rect{Y: float64(40 * i), W: 100, H: 30}})
	}
	return ui.NewScreen(app, "running_foreground", root)
}

// answer is the answer of an operation that does something.
func answer(t *testing.T, call op.Call, do func(*op.Call) error) op.Envelope {
	t.Helper()
	one := op.New(op.Spec{Name: "step", Groups: []string{"ui"}, Route: "POST /api/v1/step", Summary: "Do a step"},
		func(_ context.Context, c *op.Call, _ struct{}) (struct{}, error) { return struct{}{}, do(c) })
	return op.NewCatalogue([]op.Op{one}, op.Options{}).Run(t.Context(), "step", call, []byte("{}"))
}

// steps runs a step of a session on the only device.
func (d door) steps(t *testing.T, session string, quiet bool, fn func(*access.Looking, act.Step) error) op.Envelope {
	t.Helper()
	return answer(t, op.Call{Session: session}, func(c *op.Call) error {
		h, s, err := d.Device(t.Context(), c, target.Target{})
		if err != nil {
			return err
		}
		l := &access.Looking{Call: c, Handle: h, Session: s, Quiet: quiet}
		return d.Step(t.Context(), l, func(s act.Step) error { return fn(l, s) })
	})
}

func (d door) remember(session string, s *ui.Screen) {
	d.Sessions.Get(session).Refs(func(r *ui.Refs) { r.Remember("A", s) })
}

func (d door) shown(session string) (labels []string) {
	d.Sessions.Get(session).Refs(func(r *ui.Refs) {
		if s := r.Shown("A"); s != nil {
			for _, n := range s.Root.Children {
				labels = append(labels, n.Label)
			}
		}
	})
	return labels
}

func TestStepReportsChangesSinceLastLook(t *testing.T) {
	for _, c := range []struct {
		what   string
		before []string // labels that were shown
		now    []string
		quiet  bool
		drove  bool // another session did in between
		lines  int
		text   string
		shown  []string // after it
	}{
		{what: "nothing shown before", now: []string{"Buy"}},
		{what: "nothing changed", before: []string{"Buy"}, now: []string{"Buy"}, drove: true, shown: []string{"Buy"}},
		{what: "one change", before: []string{"Buy"}, now: []string{"Buy", "Sell"}, lines: 1, shown: []string{"Buy", "Sell"}},
		{what: "a change after another session", before: []string{"Buy"}, now: []string{"Buy", "Sell"}, drove: true, lines: 1,
			text: "b drove this device", shown: []string{"Buy", "Sell"}},
		{what: "quiet", before: []string{"Buy"}, now: []string{"Buy", "Sell"}, quiet: true, shown: []string{"Buy"}},
		{what: "quiet after another session", before: []string{"Buy"}, now: []string{"Buy", "Sell"}, quiet: true, drove: true,
			text: "b drove this device", shown: []string{"Buy"}},
		{what: "five changes", before: []string{"Buy"}, now: []string{"Buy", "1", "2", "3", "4", "5"}, lines: 5,
			shown: []string{"Buy", "1", "2", "3", "4", "5"}},
		{what: "seven changes", before: []string{"Buy"}, now: []string{"Buy", "1", "2", "3", "4", "5", "6", "7"}, lines: 6,
			shown: []string{"Buy", "1", "2", "3", "4", "5", "6", "7"}},
	} {
		d := open(t, pool.Options{}, phone("A", "Ann"))
		if c.before != nil {
			d.remember("a", screen("com.shop", c.before...))
			d.Sessions.Get("a").Showed("A")
		}
		if c.drove {
			d.Sessions.Get("b").Drove("A")
		}
		e := d.steps(t, "a", c.quiet, func(l *access.Looking, s act.Step) error {
			s.Seen(screen("com.shop", c.now...))
			return nil
		})
		if e.Error != nil {
			t.Errorf("%s: got %v, want success", c.what, e.Error)
			continue
		}
		var got op.Notice
		if len(e.Meta.Notices) > 0 {
			got = e.Meta.Notices[0]
		}
		told := c.lines > 0 || c.text != ""
		if told != (got.Kind == op.Meanwhile) || len(got.Lines) != c.lines || got.Text != c.text {
			t.Errorf("%s: got the notice %q, want %d lines and the text %q", c.what, got, c.lines, c.text)
		}
		if c.lines == 6 && len(got.Lines) == 6 && got.Lines[5] != "… and 2 more" {
			t.Errorf("%s: got the last line %q, want how many are left", c.what, got.Lines[5])
		}
		if shown := d.shown("a"); !slices.Equal(shown, c.shown) {
			t.Errorf("%s: got %v as shown, want %v", c.what, shown, c.shown)
		}
		if others := d.Sessions.Get("a").DroveSince("A"); len(others) > 0 {
			t.Errorf("%s: got %v who drove since, want none: the step was shown the screen", c.what, others)
		}
	}
}

func TestFailedStepDoesNotCountAsShown(t *testing.T) {
	d := open(t, pool.Options{}, phone("A", "Ann"))
	d.Sessions.Get("b").Drove("A")
	e := d.steps(t, "a", false, func(*access.Looking, act.Step) error { return errors.New("torn") })
	if e.Error == nil || e.Error.Message != "torn" {
		t.Errorf("got %v, want the step's error", e.Error)
	}
	if got := d.Sessions.Get("a").DroveSince("A"); !slices.Equal(got, []string{"b"}) {
		t.Errorf("got %v who drove since, want b", got)
	}
}

func TestStepReceivesDeviceAndSession(t *testing.T) {
	d := open(t, pool.Options{}, phone("A", "Ann"))
	e := d.steps(t, "a", false, func(l *access.Looking, s act.Step) error {
		if s.Device.Info().UDID != "A" || s.Session.Name != "a" || s.Tell == nil || l.UDID() != "A" {
			t.Errorf("got the step %+v, want the device A, the session a and a function to tell", s)
		}
		return nil
	})
	if e.Error != nil || d.holder(t, "A") != "a" {
		t.Errorf("got %v and the holder %q, want a step under a's lease", e.Error, d.holder(t, "A"))
	}
}

func TestShowGivesAnOutlineOrTheChanges(t *testing.T) {
	for _, c := range []struct {
		what            string
		before          *ui.Screen
		still, outlined bool
		changes         int
		last            bool // the screen counts as still
	}{
		{what: "never shown", outlined: true, still: true, last: true},
		{what: "another app", before: screen("com.other", "Buy"), outlined: true, still: true, last: true},
		{what: "the same app", before: screen("com.shop", "Buy"), changes: 1, still: true, last: true},
		{what: "the same app, moving", before: screen("com.shop", "Buy"), changes: 1},
		{what: "the same screen", before: screen("com.shop", "Buy", "Sell"), still: true, last: true},
	} {
		d := open(t, pool.Options{}, phone("A", "Ann"))
		if c.before != nil {
			d.remember("a", c.before)
		}
		now := screen("com.shop", "Buy", "Sell")
		var out access.Shown
		e := d.steps(t, "a", false, func(l *access.Looking, s act.Step) error {
			out = l.Show(now, c.still)
			if !l.Quiet {
				t.Errorf("%s: got a look that is not quiet, want quiet: the result tells what changed", c.what)
			}
			return nil
		})
		if e.Error != nil || len(e.Meta.Notices) > 0 {
			t.Errorf("%s: got %v and the notices %v, want neither", c.what, e.Error, e.Meta.Notices)
		}
		if (out.Outline != "") != c.outlined || len(out.Changes) != c.changes {
			t.Errorf("%s: got %+v, want an outline %v and %d changes", c.what, out, c.outlined, c.changes)
		}
		var last string
		d.Sessions.Get("a").Refs(func(r *ui.Refs) { last = r.Last("A") })
		if (last != "") != c.last {
			t.Errorf("%s: got the still screen %q, want one: %v", c.what, last, c.last)
		}
	}
}

func TestShownTextPrefersOutlineOverChanges(t *testing.T) {
	for _, c := range []struct {
		shown access.Shown
		want  string
	}{
		{access.Shown{}, ""}, {access.Shown{Outline: "o", Changes: []string{"c"}}, "\no"},
		{access.Shown{Changes: []string{"c"}}, "\n" + outline.Summary([]string{"c"}, 15)},
	} {
		if got := c.shown.Text(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.shown, got, c.want)
		}
	}
	if got := access.Unread(errors.New("dark")); got != "cannot read the screen: dark" {
		t.Errorf("got %q", got)
	}
}

func TestListenCreatesFilesForAppOutput(t *testing.T) {
	info := fakedevice.Simulator("A", "Ann", device.Booted)
	info.Type = device.TypePhysical
	for _, c := range []struct {
		what  string
		on    device.Device
		given device.Launch
		files bool
		err   error
		kept  bool
	}{
		{what: "a launch", on: phone("A", "Ann"), files: true, kept: true},
		{what: "a failed launch", on: phone("A", "Ann"), files: true, err: fault.New(fault.AppLaunchFailed, "no")},
		{what: "an app that is not there", on: phone("A", "Ann"), files: true, err: fault.New(fault.AppNotFound, "no")},
		{what: "the caller's file", on: phone("A", "Ann"), given: device.Launch{Stdout: "/mine"}},
		{what: "a physical device", on: fakedevice.New(info)},
	} {
		d := open(t, pool.Options{}, c.on)
		call := drive("a")
		h, _, err := d.Device(t.Context(), call, target.Target{UDID: "A"})
		if err != nil {
			t.Fatal(err)
		}
		how := c.given
		launched := d.Listen(call, h, "com.example.shop", &how)
		if made := how.Stdout != "" && how.Stdout != c.given.Stdout && how.Stderr != ""; made != c.files {
			t.Errorf("%s: got the files %q and %q, want new ones: %v", c.what, how.Stdout, how.Stderr, c.files)
		}
		if !c.files && (how.Stdout != c.given.Stdout || how.Stderr != c.given.Stderr) {
			t.Errorf("%s: got the files %q and %q, want them as given", c.what, how.Stdout, how.Stderr)
		}
		launched(7, c.err)
		if c.files {
			if _, err := os.Stat(how.Stdout); (err == nil) != c.kept {
				t.Errorf("%s: got %v of the file, want it kept: %v", c.what, err, c.kept)
			}
		}
	}
}

func TestCancelledCallDoesNotRunStep(t *testing.T) {
	d := open(t, pool.Options{}, phone("A", "Ann"))
	h, _, err := d.Device(t.Context(), drive("a"), target.Target{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ran := false
	err = d.Do(ctx, h, func() error { ran = true; return nil })
	if err == nil || ran || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("got %v and ran %v, want a cancelled call that did not run", err, ran)
	}
}
