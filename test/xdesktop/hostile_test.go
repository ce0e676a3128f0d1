package xdesktop_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/driver/atspi"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/processes"
	desktopops "ios-agent/internal/ops/desktop"
	"ios-agent/internal/ui"
	"ios-agent/test/xdesktop"
)

// callTakes is after how long a call to a hostile program is taken for hanging: a look has 15 s, on a machine that is not busy.
const callTakes = time.Minute

// hostile are rooms on a desktop with the hostile program, which tells itself what was really pressed in it.
type hostile struct {
	*rooms
	binary string
}

func hostileRooms(t *testing.T, o atspi.Options) *hostile {
	t.Helper()
	r := roomsWith(t, o)
	return &hostile{r, r.stage.Hostile()}
}

// begin starts the hostile program in a mode.
func (h *hostile) begin(mode string, args ...string) *process.Session {
	h.t.Helper()
	h.launch(nil, append([]string{h.binary, mode}, args...)...)
	return h.s
}

// on makes a session the one that is driven.
func (h *hostile) on(s *process.Session) *hostile {
	h.s = s
	return h
}

func (h *hostile) end(s *process.Session) {
	h.t.Helper()
	if _, err := h.Stop(h.t.Context(), h.Call, s.ID); err != nil {
		h.t.Error(err)
	}
}

// timed notes a call that takes too long.
func (h *hostile) timed(what string) (done func()) {
	h.t.Helper()
	began := time.Now()
	return func() {
		h.t.Helper()
		if took := time.Since(began); took > callTakes {
			h.t.Errorf("%s took %v, want at most %v", what, took, callTakes)
		}
	}
}

// try does an action that may fail.
func (h *hostile) try(in desktop.Request) (desktopops.DesktopAction, error) {
	h.t.Helper()
	defer h.timed(in.Action)()
	in.Session = h.s.ID
	return h.Act(h.t.Context(), h.Call, in)
}

func (h *hostile) press(id string) (desktopops.DesktopAction, error) {
	h.t.Helper()
	return h.try(desktop.Request{Action: desktop.Click, ID: &id})
}

func (h *hostile) look(p desktop.Pick) (desktopops.Scene, error) {
	h.t.Helper()
	defer h.timed("a look")()
	return h.Look(h.t.Context(), h.Call, desktopops.Looking{Session: h.s.ID, Tree: true, Pick: p})
}

func (h *hostile) output() string { return h.s.Status().Stdout.Text }

// TestRealHostileProgramCannotFalsifyAnswers: nothing that a program does makes an answer untrue, endless or another program's.
func TestRealHostileProgramCannotFalsifyAnswers(t *testing.T) {
	h := hostileRooms(t, atspi.Options{})
	for _, c := range []struct {
		name string
		does func(*hostile)
	}{
		{"it has names of a megabyte and a text of twenty", func(h *hostile) { h.large("huge", "Grow", "") }},
		{"it has thousands of widgets and rows", func(h *hostile) { h.large("many", "Go", "more than 400 elements") }},
		{"it has 300 levels", func(h *hostile) { h.large("deep", "Go", "deeper than 50 levels") }},
		{"it has 200 windows", func(h *hostile) { h.large("windows", "Go", "because of the budget") }},
		{"a press closes its window", func(h *hostile) { h.ending("Destroy", "it closed its last window and still runs") }},
		{"a press has it leave", func(h *hostile) { h.ending("Leave", "it exited with code 4") }},
		{"a press has it crash", (*hostile).crashing}, {"a press makes it another program", (*hostile).becoming},
		{"a press cuts its connections", (*hostile).cutting}, {"its windows and buttons move", (*hostile).moving},
		{"another of its windows has the keyboard", (*hostile).beside},
		{"its names and roles change with each look", (*hostile).renaming}, {"it keeps keyboard and mouse", (*hostile).grabbing},
		{"it says that its window is another's", (*hostile).claiming}, {"it prints without end", (*hostile).flooding},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.t = t
			c.does(h)
		})
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapSys > mostHeap {
		t.Errorf("got a heap of %d MB at its largest, want at most %d", m.HeapSys>>20, mostHeap>>20)
	}
}

// mostHeap is for all of that: the longest answer of a program is about 20 MB, the tail of what one prints 64 KiB.
const mostHeap = 128 << 20

// large: the look ends, is small and says what is left out; and the program is still driven.
func (h *hostile) large(mode, button, left string) {
	s := h.begin(mode)
	defer h.end(s)
	const budget = 8000
	seen, err := h.look(desktop.Pick{Bytes: budget})
	if said := strings.Join(seen.Left, "; "); err != nil || len(seen.Text) > budget || len(said) > 500 || !strings.Contains(said, left) {
		h.t.Errorf("got %d bytes, %q left out, %v, want at most %d and %q", len(seen.Text), said, err, budget, left)
	}
	const whole = 2 << 20
	if seen, err := h.look(desktop.Pick{Verbose: true}); err != nil || len(seen.Text) > whole {
		h.t.Errorf("got %d bytes of JSON, %v, want at most %d", len(seen.Text), err, whole)
	}
	const diff = 16 << 10
	id, settle := h.id(button), 100
	got, err := h.try(desktop.Request{Action: desktop.Click, ID: &id, SettleMS: &settle})
	if size := len(strings.Join(got.Diff, "\n")); err != nil || !got.Success || size > diff {
		h.t.Errorf("got %+v, %v, with a diff of %d bytes, want it pressed and at most %d", got, err, size, diff)
	}
	h.printed("pressed " + button)
}

func (h *hostile) ending(button, how string) {
	s := h.begin("ends")
	defer h.end(s)
	got, err := h.press(h.id(button))
	if err != nil || got.Outcome != ui.Changed || got.Ended == nil || got.Ended.How != how {
		h.t.Errorf("got %+v, ended %+v, %v, want that %s", got, got.Ended, err, how)
	}
}

func (h *hostile) crashing() {
	s := h.begin("ends")
	defer h.end(s)
	if got, err := h.press(h.id("Crash")); !fault.Is(err, fault.AppEnded) || !strings.Contains(err.Error(), "SIGSEGV") {
		h.t.Errorf("got %+v, %v, want APP_ENDED by SIGSEGV", got, err)
	}
}

// becoming: the same process executes another program. What it shows is seen, and no id of before is another element's.
func (h *hostile) becoming() {
	s := h.begin("ends")
	defer h.end(s)
	old := h.id("Hang")
	if got, err := h.press(h.id("Become")); err != nil || got.Outcome != ui.Changed {
		h.t.Errorf("got %+v, %v, want it changed", got, err)
	}
	h.printed("ready")
	if got, err := h.press(old); err != nil || got.Error != desktop.ErrNoNode.Error() {
		h.t.Errorf("a button of the program before: got %+v, %v, want it not found", got, err)
	}
	h.click("Plain")
	h.printed("pressed Plain")
}

// cutting: a program that left the accessibility bus still has a window, and the answer says that there is no more to see.
func (h *hostile) cutting() {
	s := h.begin("ends")
	defer h.end(s)
	if got, err := h.press(h.id("Cut")); err != nil || got.Outcome != ui.Changed || !strings.Contains(got.Advice, "reports no contents") {
		h.t.Errorf("got %+v, %v, want it changed, and that its toolkit reports no contents", got, err)
	}
}

// moving: what comes over an element between look and click does not get the click; when all stands still, the element does.
func (h *hostile) moving() {
	s := h.begin("moves")
	defer h.end(s)
	safe, rows := h.id("Safe"), []string{h.id("Row 5"), h.id("Row 6")}
	for i := range 6 {
		for _, id := range []string{safe, rows[i%2]} {
			if _, err := h.press(id); err != nil && !fault.Is(err, fault.ElementUnhittable) {
				h.t.Errorf("got %v, want it pressed or ELEMENT_UNHITTABLE", err)
			}
		}
	}
	h.click("Calm")
	h.printed("calm")
	if got := h.click("Row 7"); !got.Success || got.Method != "xtest" {
		h.t.Errorf("got %+v, want the row clicked", got)
	}
	h.printed("selected Row 7")
	said := h.output()
	if strings.Contains(said, "pressed Delete") || strings.Contains(said, "pressed over") || !strings.Contains(said, "pressed Safe") {
		h.t.Errorf("got %q, want nothing pressed that was not meant", said)
	}
}

// beside: a window that is clicked has the keyboard then, as by a person's click.
func (h *hostile) beside() {
	s := h.begin("two")
	defer h.end(s)
	key := "a"
	typed := func(where string) {
		h.t.Helper()
		if got, err := h.try(desktop.Request{Action: desktop.PressKey, Key: &key}); err != nil || !got.Success {
			h.t.Errorf("got %+v, %v, want the key pressed", got, err)
		}
		h.printed("key in " + where)
	}
	xdesktop.Eventually(h.t, "the second window", func() bool { return strings.Contains(h.tree(desktop.Pick{}), "Other") })
	typed("Second")
	if got := h.click("Row 2"); !got.Success || got.Method != "xtest" {
		h.t.Errorf("got %+v, want the row clicked", got)
	}
	h.printed("selected Row 2")
	typed("First")
}

// renaming: an id stays with its element, whatever that is called.
func (h *hostile) renaming() {
	s := h.begin("names")
	defer h.end(s)
	id := ""
	for range 4 {
		seen, err := h.look(desktop.Pick{})
		if err != nil {
			h.t.Fatal(err)
		}
		second := seen.IDs[len(seen.IDs)-1]
		if id == "" {
			id = second
		}
		if got, err := h.press(id); err != nil || !got.Success || second != id {
			h.t.Errorf("got %+v, %v, and %s is the second button, want %s pressed", got, err, second, id)
		}
	}
	h.printed("pressed second")
	if said := h.output(); strings.Contains(said, "first") || strings.Count(said, "second") != 4 {
		h.t.Errorf("got %q, want the second button pressed 4 times", said)
	}
}

// grabbing: what is typed or clicked while another program has keyboard and mouse for itself is not sent, nor said to be.
func (h *hostile) grabbing() {
	victim := h.begin("plain", "Victim")
	defer h.end(victim)
	field, button, text, tab := h.id("Field"), h.id("Plain"), "secret", "tab"
	thief := h.begin("grabs", "Thief")
	defer h.end(thief)
	h.printed("grabbed")
	h.on(victim)
	for _, in := range []desktop.Request{
		{Action: desktop.Type, ID: &field, Text: &text}, {Action: desktop.PressKey, Key: &tab},
		{Action: desktop.Scroll, ID: &field, Direction: new("down")},
	} {
		if got, err := h.try(in); !fault.Is(err, fault.NoFocus) || got.Success {
			h.t.Errorf("%s: got %+v, %v, want NO_FOCUS", in.Action, got, err)
		}
	}
	set := desktop.Request{Action: desktop.SetValue, ID: &field, Value: []byte(`"by accessibility"`)}
	if got, err := h.try(set); err != nil || !got.Success {
		h.t.Errorf("set_value: got %+v, %v, want it set", got, err)
	}
	if got, err := h.press(button); err != nil || !got.Success {
		h.t.Errorf("got %+v, %v, want the button pressed by accessibility", got, err)
	}
	h.printed("pressed Plain")
	if said := h.on(thief).output(); strings.Contains(said, "key") || strings.Contains(said, "over") {
		h.t.Errorf("the program that has the keyboard printed %q, want that it got nothing", said)
	}
}

// claiming: the X server knows whose window it is, whatever the window says.
func (h *hostile) claiming() {
	victim := h.begin("plain", "Victim")
	defer h.end(victim)
	thief := h.begin("claims", fmt.Sprint(victim.PID))
	defer h.end(thief)
	for _, s := range []*process.Session{victim, thief} {
		title := map[*process.Session]string{victim: "Victim", thief: "Claimed"}[s]
		all, err := h.Windows(h.t.Context(), h.Call, s.ID)
		if err != nil || len(all) != 1 || all[0].Title != title || all[0].PID != s.PID {
			h.t.Errorf("got %+v, %v, want the one window %q of process %d", all, err, title, s.PID)
		}
	}
	got, err := h.Attach(h.t.Context(), h.Call, desktopops.DesktopAttach{Title: "Claimed"})
	if err != nil || got.PID != thief.PID {
		h.t.Errorf("got %+v, %v, want process %d by the title of its window", got, err, thief.PID)
	}
	seen, err := h.on(victim).look(desktop.Pick{})
	if err != nil || strings.Contains(seen.Text, "Trap") || strings.Contains(seen.Text, "Claimed") {
		h.t.Errorf("got %s, %v, want only what the victim shows", seen.Text, err)
	}
}

// flooding: of what is printed the newest is kept, in little, and the program is driven meanwhile.
func (h *hostile) flooding() {
	s := h.begin("floods")
	defer h.end(s)
	for _, button := range []string{"Go", "Stop"} {
		id, settle := h.id(button), 100
		if got, err := h.try(desktop.Request{Action: desktop.Click, ID: &id, SettleMS: &settle}); err != nil || !got.Success {
			h.t.Errorf("got %+v, %v, want %s pressed", got, err, button)
		}
	}
	h.printed("the newest")
	if st := h.s.Status().Stdout; st.Lost < 1<<20 || len(st.Text) > process.UsualPrinted || !strings.HasSuffix(st.Text, "the newest\n") {
		h.t.Errorf("got %d bytes of which %d were left out, want at most %d, the newest last", len(st.Text), st.Lost, process.UsualPrinted)
	}
}

// TestRealHungProgramDoesNotBlockOthers: a program that hangs costs a call its own time, and a fault that names it; others go on meanwhile.
func TestRealHungProgramDoesNotBlockOthers(t *testing.T) {
	h := hostileRooms(t, atspi.Options{Answer: 2 * time.Second})
	other := h.begin("plain", "Bystander")
	hung := h.begin("ends")
	id, key := h.id("Hang"), "a"
	if got, err := h.press(id); !fault.Is(err, fault.OutcomeUnknown) || got.Success {
		t.Errorf("got %+v, %v, want OUTCOME_UNKNOWN", got, err)
	}
	h.printed("hangs")
	waits := make(chan error, 1)
	go func() {
		_, err := h.Act(t.Context(), h.Call, desktop.Request{Session: hung.ID, Action: desktop.Click, ID: &id})
		waits <- err
	}()
	h.on(other).click("Plain")
	h.printed("pressed Plain")
	if err := <-waits; !fault.Is(err, fault.Timeout) {
		t.Errorf("a click on the one that hangs: got %v, want TIMEOUT", err)
	}
	h.on(hung)
	all := []desktop.Request{
		{Action: desktop.Click, ID: &id}, {Action: desktop.Type, ID: &id, Text: &key}, {Action: desktop.PressKey, Key: &key},
	}
	for _, code := range []fault.Code{fault.Timeout, fault.AppPaused} {
		if code == fault.AppPaused {
			if err := processes.Suspend(hung.PID); err != nil {
				t.Fatal(err)
			}
			for !process.Stopped(hung.PID) { // the signal takes a moment on a busy machine
				select {
				case <-time.After(time.Millisecond):
				case <-t.Context().Done():
					t.Fatal("the process does not stop")
				}
			}
		}
		for _, in := range all {
			if got, err := h.try(in); !fault.Is(err, code) || !strings.Contains(err.Error(), fmt.Sprint(hung.PID)) || got.Success {
				t.Errorf("%s: got %+v, %v, want %s that names process %d", in.Action, got, err, code, hung.PID)
			}
		}
		if _, err := h.look(desktop.Pick{}); !fault.Is(err, code) {
			t.Errorf("a look: got %v, want %s", err, code)
		}
	}
	if err := processes.Resume(hung.PID); err != nil {
		t.Fatal(err)
	}
	h.on(other).click("Plain")
}
