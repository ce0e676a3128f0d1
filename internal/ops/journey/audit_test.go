package journey_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/journey"
	"ios-agent/internal/ops/screen"
	"ios-agent/internal/ops/touch"
	"ios-agent/internal/ui"
	"ios-agent/test/fakedevice"
)

// inspection is a phone with two screens: a button that has an identifier leads from the first to the second, where none has one.
type inspection struct {
	*fakedevice.Room
	phone  *judged
	access access.Access
	check  func(c *op.Call) []device.Check
	dir    string

	second bool
	more   []*ui.Node
}

// judged is a paper phone with an agent.
type judged struct {
	*fakedevice.Paper
	agent string
}

func (j *judged) AgentState() device.AgentState      { return device.AgentState{State: j.agent} }
func (j *judged) StartAgent(_ context.Context) error { return nil }
func (j *judged) StopAgent(_ context.Context) error  { return nil }

func inspect(t *testing.T) *inspection {
	t.Helper()
	s := &inspection{phone: &judged{Paper: &fakedevice.Paper{}, agent: device.AgentConnected}, dir: t.TempDir()}
	s.phone.Draw = s.draw
	s.phone.React = func(string) { s.second = true }
	s.access = fakedevice.Reach(t, s.phone)
	look := screen.New(screen.Deps{Access: s.access, Home: s.dir, Now: time.Now})
	var catalogue *op.Catalogue
	steps := journey.NewBatch(func() *op.Catalogue { return catalogue })
	judge := journey.NewAuditor(s.access, look, steps, "9.9")
	s.check = func(c *op.Call) []device.Check { return judge.Check(t.Context(), c) }
	ops := slices.Concat(steps.Ops(), judge.Ops(), look.Ops(), touch.New(s.access, secrets.Of(s.dir, &mask.Set{})).Ops())
	catalogue = op.NewCatalogue(ops, op.Options{Toolchain: "paper"})
	s.Room = fakedevice.Open(t, ops)
	return s
}

func (s *inspection) draw() []*ui.Node {
	at := ui.Rect{X: 100, Y: 200, W: 200, H: 50}
	nodes := []*ui.Node{{Type: "Button", Identifier: "go", Label: "Go", Frame: at}}
	if s.second {
		nodes = []*ui.Node{{Type: "Button", Label: "Pay", Frame: at}, button("Leave", 300)}
	}
	for _, n := range s.more {
		fresh := *n
		nodes = append(nodes, &fresh)
	}
	return nodes
}

// button is one without an identifier.
func button(label string, y float64) *ui.Node {
	return &ui.Node{Type: "Button", Label: label, Frame: ui.Rect{X: 100, Y: y, W: 200, H: 50}}
}

// file is a path of a file of the test, with a text if there is one.
func (s *inspection) file(name, text string) string {
	s.T.Helper()
	path := filepath.Join(s.dir, name)
	if text != "" {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			s.T.Fatal(err)
		}
	}
	return path
}

func (s *inspection) read(path string) string {
	s.T.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		s.T.Fatal(err)
	}
	return string(text)
}

// findings is an audit as clients read it.
type findings struct {
	Score, Count, New, Known int
	Path, Updated            string
	Screens                  []struct {
		After, App string
		Findings   []struct{ Rule, Ref string }
	}
}

func TestAuditReportsFindingsOfScreen(t *testing.T) {
	s := inspect(t)
	s.second = true
	var got findings
	e := s.Must("audit", `{}`, &got)
	if len(got.Screens) != 1 || got.Count != 2 || got.Score >= 100 || got.Screens[0].App != fakedevice.App {
		t.Fatalf("got %+v, want two findings on one screen", got)
	}
	if ref := got.Screens[0].Findings[0].Ref; !strings.HasPrefix(ref, "@e") {
		t.Errorf("got the ref %q, want one that a step takes", ref)
	}
	if head := fmt.Sprintf("score %d of 100, 2 findings\n", got.Score); !strings.HasPrefix(e.Stdout, head) || e.Document {
		t.Errorf("got the text\n%s\nwant it to begin with %q, and no document", e.Stdout, head)
	}
	if e.Meta.Device == nil || e.Meta.Device.UDID != fakedevice.UDID {
		t.Errorf("got the device %+v, want the phone", e.Meta.Device)
	}
	if len(s.phone.Sent) != 0 {
		t.Errorf("got the inputs %q, want none", s.phone.Sent)
	}
}

func TestAuditChecksScreenAfterEachStep(t *testing.T) {
	s := inspect(t)
	var told []string
	s.Call = s.Call.WithProgress(func(e op.Event) { told = append(told, e.Message) })
	var got findings
	s.Must("audit", `{"steps":["tap --label Go"]}`, &got)
	if len(got.Screens) != 2 || got.Screens[0].After != "" || got.Screens[1].After != "tap --label Go" {
		t.Fatalf("got the screens %+v, want the first, and that of the step", got.Screens)
	}
	if len(got.Screens[0].Findings) != 0 || len(got.Screens[1].Findings) != 2 {
		t.Errorf("got %+v, want the findings of the second screen", got.Screens)
	}
	if !slices.Contains(told, "step 1 of 1: tap --label Go") {
		t.Errorf("got the progress %q, want the step in it", told)
	}
	if !slices.Equal(s.phone.Sent, []string{"tap 200,225"}) {
		t.Errorf("got the inputs %q, want the tap", s.phone.Sent)
	}
}

func TestAuditCountsUnchangedScreenOnce(t *testing.T) {
	s := inspect(t)
	s.second = true
	var got findings
	s.Must("audit", `{"steps":["tap --label Pay","tap --label Leave"]}`, &got)
	if len(got.Screens) != 1 || len(s.phone.Sent) != 2 {
		t.Errorf("got %d screens after %q, want one", len(got.Screens), s.phone.Sent)
	}
}

func TestAuditStopsAtFailedStep(t *testing.T) {
	s := inspect(t)
	e := s.Run("audit", `{"steps":["tap --label Go","tap --label Nowhere --timeout-ms 0","tap --label Pay"]}`)
	var got findings
	if err := json.Unmarshal(e.Result, &got); err != nil {
		t.Fatalf("%v: %s (%+v)", err, e.Result, e.Error)
	}
	if len(got.Screens) != 2 || len(s.phone.Sent) != 1 {
		t.Errorf("got %d screens after %q, want those before the step", len(got.Screens), s.phone.Sent)
	}
	if e.Error == nil || e.Error.Code != fault.ElementNotFound ||
		!strings.HasPrefix(e.Error.Message, "audit: step 2 (tap --label Nowhere --timeout-ms 0): ") {
		t.Errorf("got %+v, want the fault of the step, with its place", e.Error)
	}
	if !strings.Contains(e.Stdout, "on 2 screens") {
		t.Errorf("got the text\n%s\nwant what was found until then", e.Stdout)
	}
}

func TestAuditStopsWhenExpectedChangeIsMissing(t *testing.T) {
	s := inspect(t)
	s.second = true
	e := s.Run("audit", `{"steps":["tap --label Pay --expect-change --timeout-ms 0"]}`)
	if e.Error == nil || !strings.HasPrefix(e.Error.Message, "audit: step 1 (tap --label Pay --expect-change --timeout-ms 0): ") {
		t.Errorf("got %+v, want the journey to end where nothing changed", e.Error)
	}
}

func TestAuditChecksAllStepsBeforeFirstInput(t *testing.T) {
	s := inspect(t)
	f := s.Refused("audit", `{"steps":["tap --label Go","fly"]}`, fault.InvalidInput, `audit: step 2 (fly): unknown command "fly"`)
	if f.Details["field"] != "steps" {
		t.Errorf("got the field %v, want steps", f.Details["field"])
	}
	bad := s.file("bad.txt", "tap --label Go\nsecret words\n")
	f = s.Refused("audit", `{"steps_file":"`+bad+`"}`, fault.InvalidInput, "audit: step 2 of "+bad+" is not a valid step", "steps look like ")
	if strings.Contains(f.Message+f.Hint, "secret") || f.Details["field"] != "steps_file" {
		t.Errorf("got %+v, want nothing of the file in it", f)
	}
	s.Refused("audit", `{"steps_file":"`+s.file("none.txt", "")+`"}`, fault.PathError, "audit: the steps ")
	if len(s.phone.Sent) != 0 {
		t.Errorf("got the inputs %q, want none", s.phone.Sent)
	}
}

func TestAuditRefusesMoreThanHundredSteps(t *testing.T) {
	s := inspect(t)
	s.second = true
	many := s.file("many.txt", strings.Repeat("tap --label Pay --settle-ms 0\n", 99))
	f := s.Refused("audit", `{"steps":["tap --label Pay","tap --label Pay"],"steps_file":"`+many+`"}`, fault.InvalidInput,
		"audit: 101 steps; it takes up to 100")
	if f.Details["field"] != "steps" {
		t.Errorf("got the field %v, want steps", f.Details["field"])
	}
	s.Must("audit", `{"steps":["tap --label Pay"],"steps_file":"`+many+`"}`, nil)
	if len(s.phone.Sent) != 100 {
		t.Errorf("got %d taps, want 100", len(s.phone.Sent))
	}
}

func TestAuditFailsBelowRequiredScore(t *testing.T) {
	s := inspect(t)
	s.second = true
	var got findings
	s.Must("audit", `{"fail_under":1}`, &got)
	f := s.Refused("audit", `{"fail_under":100}`, fault.AuditFailed,
		fmt.Sprintf("audit: the score is %d, under 100: missing-identifier: ", got.Score))
	if f.Details["score"] != got.Score || strings.Count(f.Message, ";") != 1 {
		t.Errorf("got %+v, want the score and both findings", f)
	}
	s.Must("audit", fmt.Sprintf(`{"fail_under":%d}`, got.Score), nil)
	s.Refused("audit", fmt.Sprintf(`{"fail_under":%d}`, got.Score+1), fault.AuditFailed)
}

func TestAuditFailureNamesThreeFindings(t *testing.T) {
	s := inspect(t)
	s.second = true
	for i := range 5 {
		s.more = append(s.more, button(fmt.Sprint("B", i), 400+60*float64(i)))
	}
	f := s.Refused("audit", `{"fail_under":100}`, fault.AuditFailed)
	if n := strings.Count(f.Message, "missing-identifier: "); n != 3 {
		t.Errorf("got the message %q, want three findings of seven", f.Message)
	}
}

func TestAuditWithBaselineFailsForNewFindings(t *testing.T) {
	s := inspect(t)
	s.second = true
	base := s.file("base.json", "")
	s.Refused("audit", `{"baseline":"`+base+`"}`, fault.PathError, "audit: the baseline ")
	var got findings
	e := s.Must("audit", `{"baseline":"`+base+`","write_baseline":true,"fail_under":100}`, &got)
	if got.Updated != base || !strings.HasSuffix(e.Stdout, "; the baseline is "+base) || !strings.HasPrefix(e.Stdout, "score ") {
		t.Errorf("got %+v and %q, want the baseline written, and nothing fails", got, e.Stdout)
	}
	s.Must("audit", `{"baseline":"`+base+`"}`, &got)
	if got.New != 0 || got.Known != 2 {
		t.Errorf("got %d new and %d known, want both known", got.New, got.Known)
	}
	s.more = []*ui.Node{button("Third", 400)}
	s.Refused("audit", `{"baseline":"`+base+`"}`, fault.AuditFailed, "1 new finding, 2 known", "Third")
	s.Must("audit", `{"baseline":"`+base+`","fail_under":1}`, &got)
	if got.New != 1 {
		t.Errorf("got %d new, want one, which a score allows", got.New)
	}
}

func TestBaselineIsNotWrittenAfterFailedStep(t *testing.T) {
	s := inspect(t)
	base := s.file("base.json", "")
	e := s.Run("audit", `{"steps":["tap --label Nowhere --timeout-ms 0"],"baseline":"`+base+`","write_baseline":true}`)
	if e.Error == nil || e.Error.Code != fault.ElementNotFound {
		t.Errorf("got %+v, want the fault of the step", e.Error)
	}
	if _, err := os.Stat(base); !os.IsNotExist(err) {
		t.Errorf("got %v, want no baseline", err)
	}
	f := s.Refused("audit", `{"write_baseline":true}`, fault.InvalidInput, "no baseline to write", hint.Field("baseline"))
	if f.Details["field"] != "baseline" {
		t.Errorf("got the field %v, want baseline", f.Details["field"])
	}
}

func TestAuditReturnsJSONOrSARIFOnRequest(t *testing.T) {
	s := inspect(t)
	s.second = true
	for _, format := range []string{"json", "sarif"} {
		e := s.Must("audit", `{"format":"`+format+`"}`, nil)
		var doc struct {
			Count     int
			Toolchain string
			Runs      []struct {
				Results    []any
				Tool       struct{ Driver struct{ Version string } }
				Properties struct{ Toolchain string }
			}
		}
		if err := json.Unmarshal([]byte(e.Stdout), &doc); err != nil || !e.Document {
			t.Fatalf("%s: got %v, document %v: %s", format, err, e.Document, e.Stdout)
		}
		if len(doc.Runs) == 1 {
			doc.Count, doc.Toolchain = len(doc.Runs[0].Results), doc.Runs[0].Properties.Toolchain
			if v := doc.Runs[0].Tool.Driver.Version; v != "9.9" {
				t.Errorf("got the version %q, want ours", v)
			}
		}
		if doc.Count != 2 || doc.Toolchain != "paper" {
			t.Errorf("%s: got %d findings of %q, want 2 of the toolchain", format, doc.Count, doc.Toolchain)
		}
	}
}

func TestAuditWritesAFile(t *testing.T) {
	s := inspect(t)
	s.second = true
	for i := range 3 {
		s.more = append(s.more, button(fmt.Sprint("B", i), 400+60*float64(i)))
	}
	out := s.file("audit.txt", "")
	var got findings
	e := s.Must("audit", `{"out":"`+out+`","limit":1}`, &got)
	if got.Path != out || !strings.HasSuffix(e.Stdout, "; wrote "+out) || e.Document {
		t.Errorf("got %q and %q, want where it was written", got.Path, e.Stdout)
	}
	if text := s.read(out); strings.Count(text, "@e") != got.Count || !strings.HasSuffix(text, "\n") || strings.Contains(text, "more:") {
		t.Errorf("got the file\n%s\nwant all %d findings, whatever the limit", text, got.Count)
	}
	s.Refused("audit", `{"out":"`+out+`"}`, fault.PathError, out)
	if e := s.Must("audit", `{"out":"`+out+`","force":true,"format":"json"}`, nil); e.Document || !strings.HasPrefix(s.read(out), "{") {
		t.Errorf("got document %v and the file %.20q, want it replaced by JSON", e.Document, s.read(out))
	}
	if text := s.Must("audit", `{"limit":1}`, nil).Stdout; strings.Count(text, "@e") != 1 || !strings.Contains(text, "4 more: ") {
		t.Errorf("got the text\n%s\nwant one finding and how many are left", text)
	}
}

func TestAuditRefusesExistingFileBeforeFirstInput(t *testing.T) {
	s := inspect(t)
	out := s.file("there.txt", "mine")
	s.Refused("audit", `{"steps":["tap --label Go"],"out":"`+out+`"}`, fault.PathError, out)
	if len(s.phone.Sent) != 0 || s.read(out) != "mine" {
		t.Errorf("got the inputs %q and the file %q, want nothing done", s.phone.Sent, s.read(out))
	}
}

func TestAuditReportsUnreadableScreen(t *testing.T) {
	s := inspect(t)
	s.phone.Blind = fault.New(fault.AppNotInFront, "there is nothing to see")
	s.Refused("audit", `{}`, fault.AppNotInFront, "there is nothing to see")
	s.phone.Blind = nil
	s.phone.React = func(string) { s.phone.Blind = fault.New(fault.AppNotInFront, "it went dark") }
	s.Refused("audit", `{"steps":["tap --label Go"]}`, fault.AppNotInFront, "it went dark")
}

func TestDoctorAuditsAppOnlyWithRunningAgent(t *testing.T) {
	s := inspect(t)
	c := &op.Call{Session: "a"}
	if got := s.check(c); got != nil {
		t.Errorf("got %+v, want nothing for a session without a device", got)
	}
	s.Must("audit", `{}`, nil) // opens the phone
	s.access.Sessions.Get("a").Use(session.Choice{UDID: fakedevice.UDID, Name: fakedevice.Name})
	for _, state := range []string{device.AgentConnected, device.AgentIdle} {
		s.phone.agent = state
		if got := s.check(c); len(got) != 1 || got[0].Status != "ok" || got[0].Name != "app" ||
			!strings.HasPrefix(got[0].Message, fakedevice.App+": audit: score 100 of 100") {
			t.Errorf("%s: got %+v, want the score of the app", state, got)
		}
	}
	s.phone.agent = device.AgentAbsent
	if got := s.check(c); got != nil {
		t.Errorf("got %+v, want no look without an agent", got)
	}
	s.phone.agent, s.phone.Blind = device.AgentIdle, fault.New(fault.AppNotInFront, "dark").WithHint("light it")
	if got := s.check(c); len(got) != 1 || got[0].Status != "warn" || got[0].Message != "dark" || got[0].Hint != "light it" {
		t.Errorf("got %+v, want a warning with what is wrong", got)
	}
}
