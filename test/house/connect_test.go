package house_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/client/connect"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

const shopApp = "com.iosagent.shop"

// scripted decides by functions, one a turn, and keeps the turns.
type scripted struct {
	script []func(connect.Turn) string
	turns  []connect.Turn
}

func (s *scripted) Decide(_ context.Context, turn connect.Turn) (connect.Decision, error) {
	s.turns = append(s.turns, turn)
	answer := `{"action":"done"}`
	if n := len(s.turns); n <= len(s.script) {
		answer = s.script[n-1](turn)
	}
	return connect.ParseDecision([]byte(answer))
}

func (s *scripted) Close() error { return nil }

// refIn is the ref of an element in a turn's snapshot.
func refIn(t *testing.T, turn connect.Turn, label string) string {
	t.Helper()
	for _, e := range snapshotOf(t, turn).Elements {
		if e.Label == label {
			return e.Ref
		}
	}
	t.Fatalf("no %q in %s", label, turn.Screen)
	return ""
}

// pictured is the specification's snapshot.
type pictured struct {
	ui.Snapshot
	Screenshot string `json:"screenshot"`
	Size       struct {
		Width, Height int
		Points        string
	} `json:"screenshot_size"`
}

func snapshotOf(t *testing.T, turn connect.Turn) (s pictured) {
	t.Helper()
	if err := json.Unmarshal(turn.Snapshot, &s); err != nil {
		t.Fatalf("%v: %s", err, turn.Snapshot)
	}
	return s
}

func tapOn(t *testing.T, label string) func(connect.Turn) string {
	return func(turn connect.Turn) string {
		return fmt.Sprintf(`{"action":"tap_element","input":{"ref":%q}}`, refIn(t, turn, label))
	}
}

func runOf(h *house.House, d connect.Decider) connect.Run {
	return connect.Run{
		Caller: op.Local{Catalogue: h.Product.Catalogue, Session: "a", Dir: h.Home.String()}, Catalogue: h.Product.Catalogue,
		Decider: d, Goal: "a coffee", App: shopApp,
	}
}

// TestTurnsCarryTheSnapshot: a turn has the screen as the specification writes it, and the transcript too.
func TestTurnsCarryTheSnapshot(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", "")
	d := &scripted{script: []func(connect.Turn) string{tapOn(t, "Continue as guest"), tapOn(t, "Add Coffee")}}
	run := runOf(h, d)
	path := filepath.Join(t.TempDir(), "run.jsonl")
	var err error
	if run.Transcript, err = connect.NewTranscript(path, nil, time.Now); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"Sign in", "Shop", "Shop"} {
		s := snapshotOf(t, d.turns[i])
		if s.App != shopApp || s.Screen != want || s.Timestamp == "" || len(s.Elements) == 0 || len(s.Actions) == 0 ||
			!strings.HasPrefix(s.Elements[0].Type, "XCUIElementType") || s.Screenshot != "" {
			t.Errorf("turn %d: %s", i+1, d.turns[i].Snapshot)
		}
	}
	refIn(t, d.turns[2], "Cart: 1")
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(written), []byte("\n"))
	if !bytes.Contains(lines[0], []byte(`"actions":[{"name":`)) || !bytes.Contains(lines[2], []byte(`"snapshot":{`)) {
		t.Errorf("the transcript: %s", written)
	}
}

// TestTurnHasPictureUnlessSecretIsShown: on demand a turn has a picture, which says what its pixels are; the transcript keeps it beside it.
// A screen that shows a secret has none.
func TestTurnHasPictureUnlessSecretIsShown(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", "")
	d := &scripted{script: []func(connect.Turn) string{func(turn connect.Turn) string {
		s := snapshotOf(t, turn)
		for _, e := range s.Elements {
			if e.Label == "Continue as guest" {
				k := float64(s.Size.Height) / s.Elements[0].Frame.H
				return fmt.Sprintf(`{"action":"tap_element","input":{"x":%g,"y":%g,"pixels":"%dx%d"}}`, (e.Frame.X+e.Frame.W/2)*k,
					(e.Frame.Y+e.Frame.H/2)*k, s.Size.Width, s.Size.Height)
			}
		}
		return "{}"
	}, tapOn(t, "Add Coffee")}}
	run := runOf(h, d)
	run.Picture, run.Secrets = true, &mask.Set{}
	run.Secrets.Add("Cart: 1", connect.Redacted)
	path := filepath.Join(t.TempDir(), "run.jsonl")
	var err error
	if run.Transcript, err = connect.NewTranscript(path, run.Secrets, time.Now); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := snapshotOf(t, d.turns[0])
	if s.Size.Width != 472 || s.Size.Points != "pixels / 1.2019" || !strings.HasPrefix(s.Screenshot, "data:image/png;base64,") ||
		!strings.Contains(d.turns[0].Prompt, "472x1024 pixels; points = pixels / 1.2019") {
		t.Errorf("%+v: %.100s", s.Size, s.Screenshot)
	}
	file, err := os.Open(filepath.Join(filepath.Dir(path), "run.1.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if p, err := png.Decode(file); err != nil || p.Bounds().Dx() != 472 {
		t.Errorf("what is kept is no such picture: %v", err)
	}
	if s := snapshotOf(t, d.turns[2]); s.Screenshot != "" || !strings.Contains(d.turns[2].Prompt, "picture is hidden") {
		t.Errorf("a secret is on the screen: got the picture %.100q and the prompt\n%s\nwant no picture, and a prompt that says so",
			s.Screenshot, d.turns[2].Prompt)
	}
	written, err := os.ReadFile(path)
	if err != nil || bytes.Contains(written, []byte("Cart: 1")) || !bytes.Contains(written, []byte(`"picture":"run.1.png"`)) {
		t.Errorf("%v: %s", err, written)
	}
}

// TestRestartLaunchesTheAppAgain: without a restart, a run continues on the app's current screen.
func TestRestartLaunchesTheAppAgain(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", shopApp)
	h.Must("a", "tap_element", map[string]string{"label": "Continue as guest"})
	beginsWith(t, h, false, "Shop")
	beginsWith(t, h, true, "Sign in")
}

func beginsWith(t *testing.T, h *house.House, restart bool, title string) {
	t.Helper()
	d := &scripted{}
	run := runOf(h, d)
	run.Restart = restart
	if _, err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := snapshotOf(t, d.turns[0]).Screen; got != title {
		t.Errorf("restart %v begins with %q", restart, got)
	}
}

// TestDeciderHintsNameItsActions: what a decider is told to do next is one of its actions, as it chooses them, and no command.
func TestDeciderHintsNameItsActions(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", "")
	d := &scripted{}
	for _, answer := range []string{
		`{"action":"tap_element","input":{"label":"Nobody","timeout_ms":0}}`, `{"action":"wait","input":{"text":"Nobody","timeout":0}}`,
		`{"action":"tap_element","input":{"ref":"@e9999"}}`, `{"action":"tap_element","input":{"x":1,"y":1,"pixels":"10x10"}}`,
		`{"action":"fill","input":{"label":"Email"}}`, `{"action":"launch_app","input":{"bundle_id":"com.example.none"}}`,
		`{"action":"tap_elemnt"}`, `{"action":"tap_element","input":{"type":"Button"}}`,
	} {
		d.script = append(d.script, func(connect.Turn) string { return answer })
	}
	run := runOf(h, d)
	run.MaxIdle = 100
	if _, err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	shell := regexp.MustCompile("`ios-agent [a-z-]+[^`]*`(, which only your user)?|--[a-z]+")
	for _, turn := range d.turns[1:] {
		for _, found := range shell.FindAllString(turn.Last.Text+turn.Screen, -1) {
			if !strings.HasSuffix(found, "only your user") {
				t.Errorf("%s: %s in %s", turn.Last.Action, found, turn.Last.Text)
			}
		}
	}
	if last := d.turns[2].Last.Text; !strings.Contains(last, `{"action":"snapshot"}`) {
		t.Errorf("a wait that ran out: %s", last)
	}
}

// TestDeciderProgramOfManualWorks: the program in docs/connect.md does what the text says.
func TestDeciderProgramOfManualWorks(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no python3")
		}
		t.Skip("there is no python3 here")
	}
	manual, err := os.ReadFile("../../docs/connect.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(manual), "```python\n")
	code, _, found := strings.Cut(rest, "```")
	if lines := strings.Count(code, "\n"); !found || lines > 10 {
		t.Fatalf("a decider of %d lines", lines)
	}
	path := filepath.Join(t.TempDir(), "decide.py")
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	programs, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer programs.Close()
	d, err := connect.StartProgram(t.Context(), programs, connect.ProgramOptions{Argv: []string{"python3", path}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	h := house.New(t)
	h.Boot("a", "")
	run := runOf(h, d)
	run.Restart = true
	result, err := run.Do(t.Context())
	if err != nil || result.Message != "I see Cart: 1" || result.Steps != 3 {
		t.Errorf("%+v, %v", result, err)
	}
	h.Must("a", "launch_app", map[string]any{"bundle_id": drivertest.Conformance})
	run.App, run.Restart = "", false
	if _, err := run.Do(t.Context()); !fault.Is(err, fault.GoalFailed) {
		t.Errorf("on another app: %v", err)
	}
}
