package act_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// drawn is a phone on paper with these elements, on a screen of 400×800 points. Inputs that nobody reacts to change nothing.
func drawn(nodes ...*ui.Node) *watched {
	w := newWatched()
	w.Draw = func() []*ui.Node {
		fresh := make([]*ui.Node, len(nodes))
		for i, n := range nodes {
			fresh[i] = copied(n)
		}
		return fresh
	}
	return w
}

func copied(n *ui.Node) *ui.Node {
	c := &ui.Node{Type: n.Type, Identifier: n.Identifier, Label: n.Label, Value: n.Value, Frame: n.Frame}
	for _, child := range n.Children {
		c.Children = append(c.Children, copied(child))
	}
	return c
}

func box(kind, id string, x, y, w, h float64, children ...*ui.Node) *ui.Node {
	return &ui.Node{Type: kind, Identifier: id, Label: id, Frame: ui.Rect{X: x, Y: y, W: w, H: h}, Children: children}
}

// quick is a step that waits for no reaction.
var quick = act.How{NoWait: true, React: new(time.Duration(0))}

// TestGesturesSendExpectedPoints: the points of each gesture, and those that are refused because they are not on the screen.
func TestGesturesSendExpectedPoints(t *testing.T) {
	at := func(x, y float64) ui.Point { return ui.Point{X: x, Y: y} }
	swipe := func(on string, w act.Swipe) func(context.Context, act.Step) (act.Report, error) {
		return func(ctx context.Context, s act.Step) (act.Report, error) { return s.Swipe(ctx, quick, named(on), w) }
	}
	between := func(from, to ui.Point) func(context.Context, act.Step) (act.Report, error) {
		return swipe("", act.Swipe{From: &from, To: &to})
	}
	drag := func(d act.ElementDrag) func(context.Context, act.Step) (act.Report, error) {
		return func(ctx context.Context, s act.Step) (act.Report, error) { return s.Drag(ctx, quick, d) }
	}
	tap := func(spot act.Spot) func(context.Context, act.Step) (act.Report, error) {
		return func(ctx context.Context, s act.Step) (act.Report, error) { return s.TapAt(ctx, quick, spot) }
	}
	pinch := func(p ui.Point) func(context.Context, act.Step) (act.Report, error) {
		return func(ctx context.Context, s act.Step) (act.Report, error) { return s.PinchAt(ctx, quick, p, 2) }
	}
	far, edge := at(401, 400), at(400, 800)
	for _, c := range []struct {
		do   func(context.Context, act.Step) (act.Report, error)
		want string // what is sent, or the code of the refusal
	}{
		{swipe("", act.Swipe{Direction: "up"}), "swipe 200,616 to 200,184 in 0s"},
		{swipe("", act.Swipe{Direction: "down", Took: time.Second}), "swipe 200,184 to 200,616 in 1s"},
		{swipe("", act.Swipe{Direction: "left"}), "swipe 296,400 to 104,400 in 0s"},
		{swipe("", act.Swipe{Direction: "right", Distance: 0.5}), "swipe 120,400 to 280,400 in 0s"},
		{swipe("box", act.Swipe{Direction: "up"}), "swipe 200,280 to 200,220 in 0s"},
		{swipe("box", act.Swipe{Direction: "right", Distance: 1}), "swipe 100,250 to 300,250 in 0s"},
		{swipe("box", act.Swipe{Direction: "in"}), "INVALID_INPUT"},
		{between(at(0, 0), edge), "swipe 0,0 to 400,800 in 0s"},
		{between(at(-1, 0), edge), "INVALID_INPUT"}, {between(at(0, -1), edge), "INVALID_INPUT"},
		{between(at(0, 0), at(401, 800)), "INVALID_INPUT"}, {between(at(0, 0), at(400, 801)), "INVALID_INPUT"},
		{drag(act.ElementDrag{Element: named("box"), Onto: named("goal")}), "drag 200,250 to 50,650, press 0s, hold 0s"},
		{drag(act.ElementDrag{Element: named("box"), To: &edge}), "drag 200,250 to 400,800, press 0s, hold 0s"},
		{drag(act.ElementDrag{From: &edge, Onto: named("goal")}), "drag 400,800 to 50,650, press 0s, hold 0s"},
		{drag(act.ElementDrag{Element: named("box"), To: &far}), "INVALID_INPUT"},
		{drag(act.ElementDrag{From: &far, Onto: named("goal")}), "INVALID_INPUT"},
		{drag(act.ElementDrag{Element: named("box"), Onto: named("below")}), "ELEMENT_NOT_HITTABLE"},
		{drag(act.ElementDrag{Element: named("box"), Onto: named("nothing")}), "ELEMENT_NOT_FOUND"},
		{tap(act.Spot{Point: at(399, 799)}), "tap 399,799"}, {tap(act.Spot{Point: edge}), "INVALID_INPUT"},
		{tap(act.Spot{Point: at(200, 600), Width: 800, Height: 1600}), "tap 100,300"},
		{tap(act.Spot{Point: at(200, 600), Width: 1600, Height: 800}), "INVALID_INPUT"},
		{tap(act.Spot{Point: at(800, 0), Width: 800, Height: 1600}), "INVALID_INPUT"},
		{pinch(edge), "pinch 400,800 by 2"}, {pinch(far), "INVALID_INPUT"},
		{func(ctx context.Context, s act.Step) (act.Report, error) { return s.Pinch(ctx, quick, ui.Query{}, 3) }, "pinch 200,400 by 3"},
		{func(ctx context.Context, s act.Step) (act.Report, error) { return s.Pinch(ctx, quick, named("box"), 3) }, "pinch 200,250 by 3"},
		{func(ctx context.Context, s act.Step) (act.Report, error) { return s.Back(ctx, quick) }, "swipe 1,400 to 320,400 in 300ms"},
	} {
		w := drawn(box("Button", "box", 100, 200, 200, 100), box("Button", "goal", 0, 600, 100, 100), box("Button", "below", 0, 900, 100, 100))
		_, err := c.do(t.Context(), w.step())
		got := strings.Join(w.Sent, "; ")
		if err != nil {
			got += string(fault.From(err).Code)
		}
		if got != c.want {
			t.Errorf("got %s (%v), want %s", got, err, c.want)
		}
	}
}

// TestSetValueSendsInputsPerControl: each kind of control is set in its own way.
func TestSetValueSendsInputsPerControl(t *testing.T) {
	two := []*ui.Node{box("Button", "less", 100, 200, 40, 40), box("Button", "more", 200, 200, 60, 40)}
	segments := []*ui.Node{box("Button", "S", 100, 200, 100, 40), box("Button", "M", 200, 200, 100, 40)}
	for _, c := range []struct {
		kind, value, set string
		children         []*ui.Node
		shows            string // after the input
		want             string // what is sent, then the code
	}{
		{"Slider", "10%", "80%", nil, "10%", "set 200,220 to 80%"}, {"Slider", "10%", "80", nil, "80%", "set 200,220 to 80%"},
		{"Slider", "0", "0", nil, "0", "set 200,220 to 0"}, {"Slider", "0", "100", nil, "100", "set 200,220 to 100%"},
		{"Slider", "0", "0.5", nil, "7", "set 200,220 to 0.5"}, {"Slider", "0", "1", nil, "1", "set 200,220 to 1%"},
		{"Slider", "0", "1.0", nil, "7", "set 200,220 to 1.0"}, {"Slider", "0", "101", nil, "", "INVALID_INPUT"},
		{"Slider", "0", "-1", nil, "", "INVALID_INPUT"}, {"Slider", "0", "much", nil, "", "INVALID_INPUT"},
		{"Slider", "0", "50", nil, "51", "set 200,220 to 50%"}, {"Slider", "0", "50", nil, "51.1", "set 200,220 to 50%TEXT_NOT_ENTERED"},
		{"Slider", "0", "80", nil, "81.6", "set 200,220 to 80%"}, {"Slider", "0", "80", nil, "78", "set 200,220 to 80%TEXT_NOT_ENTERED"},
		{"PickerWheel", "a", "b", nil, "b", "set 200,220 to b"},
		{"Switch", "1", "off", nil, "0", "tap 268,220"}, {"Switch", "1", "ON", nil, "1", ""}, {"Switch", "0", "no", nil, "0", ""},
		{"Switch", "1", "maybe", nil, "", "INVALID_INPUT"},
		{"SegmentedControl", "", "m", segments, "", "tap 250,220"}, {"SegmentedControl", "", "L", segments, "", "ELEMENT_NOT_FOUND"},
		{"Stepper", "3", "x", nil, "", "INVALID_INPUT"}, {"Stepper", "", "4", nil, "", "UNSUPPORTED"},
		{"Stepper", "3", "4", nil, "4", "tap 250,220"}, {"Stepper", "3", "2", nil, "2", "tap 150,220"},
		{"Stepper", "3", "4", two, "4", "tap 230,220"}, {"Stepper", "3", "2", two, "2", "tap 120,220"}, {"Stepper", "3", "3", nil, "3", ""},
		{"Other", "", "x", nil, "", "UNSUPPORTED"}, {"Other", "", "on", []*ui.Node{box("Switch", "s", 250, 200, 40, 40)}, "", "tap 270,220"},
		{"Other", "", "on", []*ui.Node{box("Switch", "s", 250, 200, 40, 40), box("Switch", "t", 200, 200, 40, 40)}, "", "ELEMENT_AMBIGUOUS"},
	} {
		n := box(c.kind, "control", 100, 200, 200, 40, c.children...)
		n.Value = c.value
		w := drawn(n)
		w.Paper.React = func(string) { n.Value = c.shows }
		_, err := w.step().SetValue(t.Context(), quick, named("control"), c.set)
		got := strings.Join(w.Sent, "; ")
		if err != nil {
			got += string(fault.From(err).Code)
		}
		if got != c.want {
			t.Errorf("%s %q set to %q, which then shows %q: got %s (%v), want %s", c.kind, c.value, c.set, c.shows, got, err, c.want)
		}
	}
}

// TestStepperStopsAfterHundredTaps: and then it is said where it stands.
func TestStepperStopsAfterHundredTaps(t *testing.T) {
	n := box("Stepper", "control", 100, 200, 200, 40)
	n.Value = "3"
	w := drawn(n)
	_, err := w.step().SetValue(t.Context(), quick, named("control"), "9")
	if f := fault.From(err); err == nil || f.Code != fault.TextNotEntered || f.Dispatched != fault.Dispatched || len(w.Sent) != 100 ||
		!strings.Contains(f.Message, "is at 3 after 100 steps, not at 9") {
		t.Errorf("got %v after %d taps, want 100", err, len(w.Sent))
	}
}

// TestScrollSearchSwipesWithinList: down and then up, twice at each end, within the list and away from lists in it.
func TestScrollSearchSwipesWithinList(t *testing.T) {
	row := box("Cell", "row", 0, 100, 400, 40)
	list := box("Table", "list", 0, 100, 400, 600, row)
	inner := box("Table", "list", 0, 100, 400, 600, box("CollectionView", "inner", 100, 400, 300, 290))
	const down, up = "drag 200,659.2 to 200,140.8, press 0s, hold 80ms", "drag 200,140.8 to 200,659.2, press 0s, hold 80ms"
	for _, c := range []struct {
		nodes  []*ui.Node
		scroll act.Scroll
		want   string
		says   string
	}{
		{[]*ui.Node{list}, act.Scroll{}, down + "; " + down + "; " + up + "; " + up, "no list on it scrolls up or down"},
		{[]*ui.Node{list}, act.Scroll{Direction: "down"}, down + "; " + down, "no list on it scrolls down"},
		{[]*ui.Node{list}, act.Scroll{Direction: "right"},
			strings.Repeat("drag 369.2,400 to 30.8,400, press 0s, hold 80ms; ", 2), "scrolls right"},
		{[]*ui.Node{list}, act.Scroll{Direction: "left"},
			strings.Repeat("drag 30.8,400 to 369.2,400, press 0s, hold 80ms; ", 2), "scrolls left"},
		{[]*ui.Node{list}, act.Scroll{Direction: "in"}, "", `unknown direction "in"`},
		{[]*ui.Node{inner}, act.Scroll{Direction: "down", Within: named("list")},
			strings.Repeat("drag 12,659.2 to 12,140.8, press 0s, hold 80ms; ", 2), "scrolls down"},
		{[]*ui.Node{box("Table", "thin", 0, 100, 400, 39)}, act.Scroll{}, "", "no list on it scrolls"},
		{[]*ui.Node{box("Table", "thin", 0, 100, 39, 400)}, act.Scroll{}, "", "no list on it scrolls"},
		{[]*ui.Node{box("Table", "high", 0, 100, 400, 40)}, act.Scroll{Direction: "down"},
			strings.Repeat("drag 200,127.2 to 200,112.8, press 0s, hold 80ms; ", 2), "scrolls down"},
		{[]*ui.Node{list, box("Keyboard", "k", 0, 500, 400, 300)}, act.Scroll{Direction: "down"},
			strings.Repeat("drag 200,469.2 to 200,130.8, press 0s, hold 80ms; ", 2), hint.Do("hide_keyboard")},
	} {
		w := drawn(c.nodes...)
		_, err := w.step().ScrollTo(t.Context(), named("nothing"), c.scroll)
		f := fault.From(err)
		got := fraction.ReplaceAllStringFunc(strings.Join(w.Sent, "; "), func(number string) string {
			exact, _ := strconv.ParseFloat(number, 64)
			return fmt.Sprintf("%.1f", exact)
		})
		if err == nil || got != strings.TrimSuffix(c.want, "; ") || !strings.Contains(f.Message+f.Hint, c.says) {
			t.Errorf("%s %+v: got %s and %v, want %s", c.nodes[0].Identifier, c.scroll, got, err, c.want)
		}
	}
}

// fraction is a number that is not whole: sums of shares are not exact.
var fraction = regexp.MustCompile(`[0-9]+\.[0-9]+`)

// TestScrollSearchStopsAfterSwipeLimit: a list that goes on for ever is left after so many, and who waits is told now and then.
func TestScrollSearchStopsAfterSwipeLimit(t *testing.T) {
	row := box("Cell", "row", 0, 100, 400, 40)
	w := drawn(box("Table", "list", 0, 100, 400, 600, row))
	w.Paper.React = func(string) { row.Label = fmt.Sprint("row ", len(w.Sent)); row.Identifier = row.Label }
	s := w.step()
	var told []string
	s.Tell = func(text string) { told = append(told, text) }
	_, err := s.ScrollTo(t.Context(), named("nothing"), act.Scroll{Swipes: 21})
	if !fault.Is(err, fault.ElementNotFound) || len(w.Sent) != 21 || !strings.Contains(err.Error(), "was not found in 21 swipes") {
		t.Errorf("got %v after %d swipes, want 21", err, len(w.Sent))
	}
	if len(told) != 2 || !strings.HasSuffix(told[0], ": 10 swipes") || !strings.HasSuffix(told[1], ": 20 swipes") {
		t.Errorf("got %q told, want it after 10 and 20 swipes", told)
	}
	row.Identifier, row.Label, w.Sent = "row", "row", nil
	report, err := s.ScrollTo(t.Context(), named("row 3"), act.Scroll{})
	if err != nil || len(w.Sent) != 3 || report.Method != "scrolled" {
		t.Errorf("got %q after %d swipes and %v, want it scrolled after 3", report.Method, len(w.Sent), err)
	}
	if report, err = s.ScrollTo(t.Context(), named("row 3"), act.Scroll{}); err != nil || report.Method != "in sight already" {
		t.Errorf("got %q and %v, want it in sight already", report.Method, err)
	}
}

// TestHideKeyboardSendsDragOrTap: by a drag in what scrolls, up and then down, or by a tap where nothing reacts.
func TestHideKeyboardSendsDragOrTap(t *testing.T) {
	keyboard := box("Keyboard", "k", 0, 500, 400, 300)
	const up, downward = "drag 200,300 to 200,240, press 0s, hold 80ms", "drag 200,300 to 200,560, press 0s, hold 80ms"
	list := box("Table", "list", 0, 100, 400, 400)
	for _, c := range []struct {
		name  string
		nodes []*ui.Node
		hides int // by which input; 0: by none
		want  string
	}{
		{"no list", nil, 1, "tap 200,488"},
		{"a button there", []*ui.Node{box("Button", "b", 100, 480, 200, 20)}, 1, "tap 56,488"},
		{"buttons there", []*ui.Node{box("Button", "b", 50, 480, 250, 20)}, 1, "tap 344,488"},
		{"a row of buttons", []*ui.Node{box("Button", "b", 0, 480, 400, 20)}, 1, "tap 200,468"},
		{"a list", []*ui.Node{list}, 1, up}, {"a list, down", []*ui.Node{list}, 2, up + "; " + downward},
		{"a list, beside", []*ui.Node{list}, 3, up + "; " + downward + "; tap 200,488"},
		{"it stays", []*ui.Node{list}, 0, up + "; " + downward + "; tap 200,488UNSUPPORTED"},
		{"a low list", []*ui.Node{box("Table", "list", 0, 100, 400, 119)}, 1, "tap 200,488"},
		{"a list just high enough", []*ui.Node{box("Table", "list", 0, 100, 400, 120)}, 1, "drag 200,160 to 200,100, press 0s, hold 80ms"},
		{"a narrow list", []*ui.Node{box("Table", "list", 0, 100, 39, 400)}, 1, "tap 200,488"},
		{"a list just wide enough", []*ui.Node{box("Table", "list", 0, 100, 40, 400)}, 1, "drag 20,300 to 20,240, press 0s, hold 80ms"},
		{"an editor", []*ui.Node{box("TextView", "text", 0, 100, 100, 380)}, 1, "tap 200,488"},
	} {
		w := drawn(append(c.nodes, keyboard)...)
		shows := w.Draw
		w.Draw = func() []*ui.Node {
			if all := shows(); c.hides == 0 || len(w.Sent) < c.hides {
				return all
			}
			return shows()[:len(c.nodes)]
		}
		_, err := w.step().HideKeyboard(t.Context())
		got := strings.Join(w.Sent, "; ")
		if err != nil {
			got += string(fault.From(err).Code)
		}
		if got != c.want {
			t.Errorf("%s: got %s (%v), want %s", c.name, got, err, c.want)
		}
	}
	w := drawn(list)
	if report, err := w.step().HideKeyboard(t.Context()); err != nil || len(w.Sent) > 0 || report.Method != "none: the keyboard is down" {
		t.Errorf("without a keyboard: got %q by %q and %v, want nothing sent", w.Sent, report.Method, err)
	}
	w, looks := drawn(list), 0
	w.Draw = func() []*ui.Node {
		looks++
		said := box("StaticText", "said", 0, 20, 100, 20)
		said.Label = strings.Repeat("so ", 1+looks/8) // still for a while, and then another one
		return []*ui.Node{list, said}
	}
	for range 20 {
		if report, err := w.step().HideKeyboard(t.Context()); err != nil || report.Outcome != ui.Unchanged || len(report.Lines) > 0 {
			t.Errorf("got %s %q, %v, want unchanged: nothing was sent", report.Outcome, report.Lines, err)
		}
	}
}

// TestSeveralInputsReportProgressOnFailure: what was sent before a refusal is not taken back.
func TestSeveralInputsReportProgressOnFailure(t *testing.T) {
	no := fault.New(fault.AgentFailed, "no").WithDispatch(fault.NotDispatched)
	for name, do := range map[string]func(context.Context, act.Step) (act.Report, error){
		"keys": func(ctx context.Context, s act.Step) (act.Report, error) {
			return s.Keys(ctx, []string{"a", "b", "c"}, time.Second)
		},
		"button": func(ctx context.Context, s act.Step) (act.Report, error) { return s.Press(ctx, "home", 0, 3) },
	} {
		for fails, want := range map[int]fault.Dispatch{1: fault.NotDispatched, 2: fault.Dispatched, 4: ""} {
			synctest.Test(t, func(t *testing.T) {
				w, n, began := newWatched(), 0, time.Now()
				w.Refuse = func(string) error {
					if n++; n == fails {
						return no
					}
					return nil
				}
				_, err := do(t.Context(), w.step())
				if (err == nil) != (want == "") || err != nil && fault.From(err).Dispatched != want || len(w.Sent) != min(fails-1, 3) {
					t.Errorf("%s, of which number %d fails: got %v after %q, want %q", name, fails, err, w.Sent, want)
				}
				if name == "keys" && fails == 2 && !strings.Contains(fmt.Sprint(err), `key 2 of 3, "b"`) {
					t.Errorf("got %v, want which key", err)
				}
				if took := time.Since(began); name == "keys" && took != time.Duration(min(fails, 3)-1)*time.Second {
					t.Errorf("key %d fails: it took %s, want a second between two keys", fails, took)
				}
			})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer leave()
		w := newWatched()
		_, err := w.step().Keys(ctx, []string{"a", "b", "c"}, time.Second)
		f := fault.From(err)
		if err == nil || f.Dispatched != fault.Dispatched || len(w.Sent) != 2 || !strings.Contains(f.Message, "key 3 of 3") {
			t.Errorf("got %v after %q, want that it ended at key 3 of 3", err, w.Sent)
		}
	})
}
