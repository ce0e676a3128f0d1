package oracle_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/text/words"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/test/soak"
)

// TestNothingWeSuggestDestroysAForm takes walks in which every command that an answer suggests is followed: no value that was entered
// before may be lost by that.
func TestNothingWeSuggestDestroysAForm(t *testing.T) {
	walks(t, soak.Share(3, shareOfSuggestions), followed)
}

func followed(t *testing.T, seed uint64) (history []string) {
	w := newWalk(seed, []driver{byAgent, byWDA, byAgent, byIDB}[seed%4])
	return way{seed: seed, steps: w.steps, name: step.String, take: func(t testing.TB, steps []step) taken {
		f := &follower{walker: begin(t, w.by), times: map[string]int{}}
		f.install(w.apps)
		for i, s := range steps {
			f.step(i, s)
		}
		return taken{f.history, f.lies}
	}}.truly(t)
}

// follower walks, enters values where it can, and does what answers suggest.
type follower struct {
	*walker
	times map[string]int // how often each suggestion was followed
	lies  []told
}

// step takes a step and follows what its answer suggests. Every other step enters something, if there is a field.
func (f *follower) step(number int, s step) {
	f.t.Helper()
	c, act := &choice{walker: f.walker, n: s.choice}, acts()[s.act]
	if s.choice%2 == 0 && number > 0 {
		f.after(number, looking(), c)
		act = entering()
	}
	f.after(number, act, c)
}

func (f *follower) after(number int, a act, c *choice) {
	f.t.Helper()
	r := f.observe(number, c, a)
	if f.history = append(f.history, f.tell(r)); r.name == "" {
		return
	}
	f.learn(r)
	for _, suggested := range suggestions(r.answer) {
		if f.times[suggested.String()]++; f.times[suggested.String()] <= mostFollowed {
			f.follow(number, suggested)
		}
	}
	if r.answer.Error != nil && r.answer.Error.Code == "AGENT_NOT_RUNNING" {
		f.start()
	}
}

// mostFollowed is how often a walk follows the same suggestion.
const mostFollowed = 3

func entering() act {
	return act{"fill", 1, func(c *choice) (string, in) { return c.enter("fill") }, true}
}

// suggestion is something that an answer says to do: a command line, or an operation that usually follows.
type suggestion struct {
	line []string
	next string
}

// String is the suggestion as the answer says it.
func (s suggestion) String() string { return strings.Join(s.line, " ") + s.next }

// impatient is the command line of somebody who waits only a second for a device: no other session gives one back meanwhile.
func (s suggestion) impatient() []string {
	if slices.Contains(s.line, "--wait-if-busy") {
		return append(slices.Clone(s.line), "--wait-timeout", "1")
	}
	return s.line
}

var commandLines = regexp.MustCompile("`ios-agent ([^`]*)`")

// suggestions are what an answer names to do. What a reader has to fill in cannot be followed, and what only a person does is not.
func suggestions(e op.Envelope) (all []suggestion) {
	for _, m := range commandLines.FindAllStringSubmatch(e.Text(), -1) {
		line, whole := words.Split(m[1])
		if whole && len(line) > 0 && !slices.ContainsFunc(line, leftToTheReader) && !slices.Contains(persons, line[0]) {
			all = append(all, suggestion{line: line})
		}
	}
	for _, name := range e.Meta.Next {
		all = append(all, suggestion{next: name})
	}
	return all
}

// persons are the commands of the program that are no operations.
var persons = []string{"help", "daemon", "virtual", "key", "init", "self", "connect", "mcp", "demo", "webdriver"}

// leftToTheReader reports whether a word stands for a value: NAME, @REF.
func leftToTheReader(word string) bool { return placeholder.MatchString(word) }

var placeholder = regexp.MustCompile(`^@?[A-Z][A-Z_]+$|…`)

// pageTurns is longer than a page takes to slide away with its form, which no suggestion does then.
const pageTurns = 5 * time.Second

// follow does what is suggested, and compares what was entered before and after.
func (f *follower) follow(number int, s suggestion) {
	f.t.Helper()
	if err := f.World.Sleep(f.t.Context(), pageTurns); err != nil {
		f.t.Fatal(err)
	}
	before := f.now()
	entered := before.entered()
	said := ""
	if s.next != "" {
		said = f.Call(f.session, s.next, in{"udid": f.udid}).Text()
	} else {
		ran := f.CLI(f.session, s.impatient()...)
		said = ran.Stdout + ran.Stderr
	}
	first, _, _ := strings.Cut(said, "\n")
	f.history = append(f.history, fmt.Sprintf("%2d %s follows %s\n     → %s", number, f.session, s, first))
	if spent(before, f.now()) != nil {
		return // a fault happened: it may have ended the app
	}
	f.bringBack(before.front)
	if gone := lost(entered, f.now()); gone != "" {
		f.lies = append(f.lies, told{"form", fmt.Sprintf("step %d: following %q loses what was entered: %s", number, s, gone)})
	}
}

// bringBack brings an app back to the front if it still runs, as somebody would who goes on with its form.
func (f *follower) bringBack(app string) {
	if app != world.SpringBoard && f.now().front != app {
		_, err := f.World.Launch(f.t.Context(), f.udid, app, world.LaunchOptions{})
		if err != nil {
			f.t.Fatal(err)
		}
	}
}

// fields are the types that hold what somebody entered.
var fields = []string{"TextField", "SecureTextField", "SearchField", "TextView", "Switch", "Slider", "Stepper"}

// entered are the values of a form, by the identifier of their field. A text that is empty is nothing that could
// be lost.
func (m moment) entered() map[string]string {
	all := map[string]string{}
	if m.root == nil {
		return all
	}
	for e := range m.root.All() {
		if slices.Contains(fields, e.Type) && e.Identifier != "" && e.Value != "" && e.Value != e.Placeholder {
			all[e.Identifier] = e.Value
		}
	}
	return all
}

// lost is the first value that a form no longer holds.
func lost(entered map[string]string, after moment) string {
	now := after.entered()
	for _, id := range slices.Sorted(maps.Keys(entered)) {
		if now[id] != entered[id] {
			return fmt.Sprintf("%s was %q, and is %q", id, entered[id], now[id])
		}
	}
	return ""
}

// TestFollowerDetectsLostForm has the world lose a form while something is followed.
func TestFollowerDetectsLostForm(t *testing.T) {
	f := &follower{walker: begin(t, byAgent), times: map[string]int{}}
	f.Must(f.session, "launch_app", in{"bundle_id": conformance, "udid": f.udid})
	f.Must(f.session, "tap_element", in{"label": "Text Input"})
	f.Must(f.session, "fill", in{"identifier": "text-username-field", "text": "tea"})
	for _, c := range []struct {
		suggested suggestion
		loses     bool
	}{
		{suggestion{line: []string{"snapshot"}}, false},
		{suggestion{next: "snapshot"}, false},
		{suggestion{line: []string{"launch", conformance}}, false},
		{suggestion{line: []string{"press-button", "home"}}, false},
		{suggestion{line: []string{"launch", conformance, "--restart"}}, true},
	} {
		f.lies = nil
		if f.follow(0, c.suggested); len(f.lies) > 0 != c.loses {
			t.Errorf("following %s: got %v, want a lost form: %t", c.suggested, f.lies, c.loses)
		}
	}
	answer := op.Envelope{Stdout: "do `ios-agent snapshot` or `ios-agent launch NAME`"}
	if got := suggestions(answer); len(got) != 1 {
		t.Errorf("got %v, want the one that can be followed", got)
	}
}
