package strobe_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/desktop/process"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/view/strobe"
	"ios-agent/internal/ui"
	"ios-agent/test/desktoptest"
	"ios-agent/test/fakedevice"
)

// set is strobe's set of tools over a program with a window.
type set struct {
	*fakedevice.Room
	room *desktoptest.Room
	s    *process.Session
	app  *desktoptest.App
}

func open(t *testing.T) *set {
	t.Helper()
	room := desktoptest.Open(t, desktoptest.New())
	return &set{Room: fakedevice.Open(t, strobe.Ops(room.Desktop)), room: room}
}

func start(t *testing.T) *set {
	t.Helper()
	s := open(t)
	s.s, s.app = s.room.Start()
	return s
}

// on is an input about the program: further inputs follow.
func (s *set) on(more string) string {
	if more != "" {
		more = "," + more
	}
	return `{"sessionId":"` + s.s.ID + `"` + more + `}`
}

// id is that of the element with a title.
func (s *set) id(title string) string {
	s.T.Helper()
	var got struct{ Tree string }
	s.Must("debug_ui", s.on(`"verbose":true`), &got)
	return desktoptest.ElementID(s.T, got.Tree, title)
}

// await gives the answer about a session when its program has ended.
func (s *set) await(id string) op.Envelope {
	s.T.Helper()
	for {
		var got struct{ Status string }
		if e := s.Must("debug_session", `{"sessionId":"`+id+`"}`, &got); got.Status == "exited" || s.T.Context().Err() != nil {
			return e
		}
	}
}

// begun is a session that was made.
type begun struct {
	SessionID string
	PID       int
}

func (s *set) launch(command ...string) begun {
	s.T.Helper()
	raw, err := json.Marshal(map[string]any{"command": command})
	if err != nil {
		s.T.Fatal(err)
	}
	var got begun
	s.Must("debug_launch", string(raw), &got)
	return got
}

// seen is how the answer to a launch says where the windows are.
func (b begun) seen() string {
	return fmt.Sprintf("\nhint: %s shows its windows, and tap, fill and batch accept the same %s; %s shows the windows as a tree",
		hint.Do("snapshot", "udid", fmt.Sprintf("pid:%d", b.PID)), hint.Field("udid"), hint.Do("desktop_debug_ui", "sessionId", b.SessionID))
}

func TestLaunchReturnsSession(t *testing.T) {
	s := open(t)
	var got begun
	e := s.Must("debug_launch", `{"command":["sh","-c","echo $A"],"env":["A=b"],"cwd":"`+s.room.Dir+`"}`, &got)
	want := fmt.Sprintf("started sh (process %d); its session is %s", got.PID, got.SessionID) + got.seen()
	if e.Stdout != want || got.PID < 2 {
		t.Errorf("got %q, want %q", e.Stdout, want)
	}
	if text := s.await(got.SessionID).Stdout; !strings.HasSuffix(text, "\nstdout: \"b\"") {
		t.Errorf("got %q, want what it printed", text)
	}
	s.Refused("debug_launch", `{"command":[]}`, fault.InvalidInput, "command")
	s.Refused("debug_launch", `{"command":["no-such-program"]}`, fault.AppLaunchFailed, "cannot find the program no-such-program")
}

func TestAttachNeedsExactlyOneInput(t *testing.T) {
	s := start(t)
	s.app.Call("Editor", "Letter")
	for _, input := range []string{fmt.Sprintf(`{"pid":%d}`, s.s.PID), `{"name":"editor"}`, `{"windowTitle":"letter"}`} {
		var got begun
		e := s.Must("debug_attach", input, &got)
		want := fmt.Sprintf("attached to sleep (process %d); its session is %s", s.s.PID, got.SessionID) + got.seen()
		if got.PID != s.s.PID || e.Stdout != want {
			t.Errorf("%s: got %q, want %q", input, e.Stdout, want)
		}
	}
	s.Refused("debug_attach", `{}`, fault.InvalidInput, "pid")
	s.Refused("debug_attach", `{"pid":4711,"name":"editor"}`, fault.InvalidInput)
	s.Refused("debug_attach", `{"pid":1}`, fault.InvalidInput)
	s.Refused("debug_attach", `{"windowTitle":"none"}`, fault.AppNotRunning)
}

func TestWindowsShowsOneLinePerWindow(t *testing.T) {
	s := open(t)
	if e := s.Must("debug_windows", `{}`, nil); e.Stdout != "no window" || string(e.Result) != `{"windows":[]}` {
		t.Errorf("got %q and %s, want no window", e.Stdout, e.Result)
	}
	s.s, s.app = s.room.Start()
	s.app.Call("Edi\ntor", "A \"letter\"")
	want := fmt.Sprintf(`%d "A \"letter\"" pid=%d app=%s bounds=100,50,400,600 focused`, s.s.PID, s.s.PID, ui.Quote("Edi\ntor"))
	for _, input := range []string{`{}`, s.on("")} {
		if e := s.Must("debug_windows", input, nil); e.Stdout != want {
			t.Errorf("%s: got %q, want %q", input, e.Stdout, want)
		}
	}
	s.Refused("debug_windows", `{"sessionId":"none"}`, fault.SessionNotFound)
}

func TestSessionShowsStateOfProgram(t *testing.T) {
	s := open(t)
	if e := s.Must("debug_session", `{"action":"list"}`, nil); e.Stdout != "no session" {
		t.Errorf("got %q, want no session", e.Stdout)
	}
	f := s.Refused("debug_session", `{}`, fault.InvalidInput, "sessionId is required for 'status'",
		hint.Do("desktop_debug_session", "action", "list"))
	if f.Details["field"] != "sessionId" {
		t.Errorf("got %+v, want the field", f)
	}
	s.Refused("debug_session", `{"action":"stop"}`, fault.InvalidInput, "sessionId is required for 'stop'")
	runs, ended := s.launch("sleep", "600"), s.launch("sh", "-c", "echo out; echo err >&2; exit 3")
	killed := s.launch("sh", "-c", "kill -9 $$")
	s.await(killed.SessionID)
	lines := []string{
		fmt.Sprintf("%s: sleep (process %d) runs", runs.SessionID, runs.PID),
		fmt.Sprintf("%s: sh (process %d) has ended with exit code 3", ended.SessionID, ended.PID),
		fmt.Sprintf("%s: sh (process %d) was ended by ", killed.SessionID, killed.PID),
	}
	if e := s.await(ended.SessionID); e.Stdout != lines[1]+"\nstdout: \"out\"\nstderr: \"err\"" {
		t.Errorf("got %q, want how it ended and what it printed", e.Stdout)
	}
	e := s.Must("debug_session", `{"action":"list"}`, nil)
	for _, want := range lines {
		if !strings.Contains(e.Stdout, want) {
			t.Errorf("got %q, want %q in it", e.Stdout, want)
		}
	}
	if strings.Contains(string(e.Result), "out") || strings.Count(e.Stdout, "\n") != 2 {
		t.Errorf("got %s, want three sessions without what they printed", e.Result)
	}
	var row struct {
		Status   string
		ExitCode *int
		Signal   string
	}
	if s.Must("debug_session", `{"sessionId":"`+ended.SessionID+`"}`, &row); row.ExitCode == nil || *row.ExitCode != 3 || row.Signal != "" {
		t.Errorf("got %+v, want exit code 3", row)
	}
	if s.Must("debug_session", `{"sessionId":"`+killed.SessionID+`"}`, &row); row.ExitCode != nil || row.Signal == "" {
		t.Errorf("got %+v, want the signal", row)
	}
	s.Must("debug_session", `{"sessionId":"`+runs.SessionID+`"}`, &row)
	if row.Status != "running" {
		t.Errorf("got %+v, want it to run", row)
	}
	if s.Must("debug_session", `{"action":"stop","sessionId":"`+runs.SessionID+`"}`, &row); row.Status != "exited" {
		t.Errorf("got %+v, want it ended", row)
	}
	s.Refused("debug_session", `{"sessionId":"`+runs.SessionID+`"}`, fault.SessionNotFound)
}

func TestStopLeavesAttachedProgramRunning(t *testing.T) {
	s := open(t)
	pid := s.room.Child()
	var got begun
	s.Must("debug_attach", fmt.Sprintf(`{"pid":%d}`, pid), &got)
	line := fmt.Sprintf("%s: sleep (process %d) runs (attached to)", got.SessionID, pid)
	if e := s.Must("debug_session", `{"sessionId":"`+got.SessionID+`"}`, nil); e.Stdout != line {
		t.Errorf("got %q, want %q", e.Stdout, line)
	}
	e := s.Must("debug_session", `{"action":"stop","sessionId":"`+got.SessionID+`"}`, nil)
	if want := line + "; the session is detached, and the program keeps running"; e.Stdout != want {
		t.Errorf("text = %q, want %q", e.Stdout, want)
	}
}

// output is what debug_session tells of a program's output.
type output struct {
	Stdout, Stderr, Cursor  string
	BytesOmitted, BytesMore int
}

// TestSessionBoundsOutput reads the end of the output, then all of it page by page with a cursor, and writes all of it to a file.
func TestSessionBoundsOutput(t *testing.T) {
	s := open(t)
	long := s.launch("seq", "-w", "9000") // 45,000 bytes
	on := func(more string) string { return `{"sessionId":"` + long.SessionID + `"` + more + `}` }
	s.await(long.SessionID)
	var got output
	e := s.Must("debug_session", on(""), &got)
	if len(got.Stdout) > 2048 || !strings.HasSuffix(got.Stdout, "\n8999\n9000\n") || got.BytesOmitted != 45_000-len(got.Stdout) {
		t.Errorf("got %d bytes and %d before them, want the last lines", len(got.Stdout), got.BytesOmitted)
	}
	if len(e.Stdout) > 16<<10 || len(e.Result) > 16<<10 || !strings.Contains(e.Stdout, `"after":"0.0"`) {
		t.Errorf("got a text of %d and JSON of %d bytes, want 16 KiB at most and how to read the rest", len(e.Stdout), len(e.Result))
	}
	var all string
	for page := (output{Cursor: "0.0", BytesMore: 1}); page.BytesMore > 0; all += page.Stdout {
		after := page.Cursor
		page = output{}
		s.Must("debug_session", on(`,"limit":5000,"after":"`+after+`"`), &page)
		if page.Stdout == "" || len(page.Stdout) > 5000 {
			t.Fatalf("after %s: got %d bytes, want some, at most 5000", after, len(page.Stdout))
		}
		got.Cursor = page.Cursor
	}
	file := filepath.Join(t.TempDir(), "out.txt")
	if e := s.Must("debug_session", on(`,"out":"`+file+`"`), nil); !strings.HasSuffix(e.Stdout, "\nsaved "+file) {
		t.Errorf("got the text\n%s\nwant where the file is", e.Stdout)
	}
	raw, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(all, "0001\n0002\n") || len(all) != 45_000 || !strings.Contains(string(raw), all) {
		t.Errorf("got %d bytes by pages and %d in the file (%v), want the same 45,000", len(all), len(raw), err)
	}
	if s.Must("debug_session", on(`,"after":"`+got.Cursor+`"`), &got); got.Stdout != "" || got.BytesMore != 0 {
		t.Errorf("after the end: got %q, want nothing", got.Stdout)
	}
	s.Refused("debug_session", on(`,"after":"x"`), fault.InvalidInput, "cursor")
	s.Refused("debug_session", on(`,"out":"`+file+`"`), fault.PathError)
}

// TestSessionBoundsOutputWithoutLines covers output without line breaks, binary output and empty lines.
func TestSessionBoundsOutputWithoutLines(t *testing.T) {
	s := open(t)
	for _, filter := range []string{"tr '\\0' x", "cat", "tr '\\0' '\\n'"} {
		large := s.launch("sh", "-c", "head -c 70000 /dev/zero | "+filter+" | tee /dev/stderr")
		s.await(large.SessionID)
		got := output{}
		e := s.Must("debug_session", `{"sessionId":"`+large.SessionID+`"}`, &got)
		if got.BytesOmitted != 140_000-len(got.Stdout)-len(got.Stderr) || len(e.Stdout) > 16<<10 || len(e.Result) > 100<<10 {
			t.Errorf("%s: got %d bytes left out, a text of %d and JSON of %d bytes", filter, got.BytesOmitted, len(e.Stdout), len(e.Result))
		}
	}
}

// seen is a look, as clients read it.
type seen struct {
	Tree    string
	Stats   struct{ AxNodes, ShownNodes int }
	LeftOut []string
	Toolkit string
	Picture *struct {
		Path          string
		Width, Height int
	} `json:"screenshot"`
}

func TestLookShowsTreeOrScreenshot(t *testing.T) {
	s := start(t)
	var got seen
	e := s.Must("debug_ui", s.on(""), &got)
	if got.Stats.AxNodes != 14 || got.Stats.ShownNodes < 10 || got.Toolkit != "test 1" || got.Picture != nil || len(e.Images) != 0 {
		t.Errorf("got %+v, want the tree alone", got)
	}
	if e.Stdout != got.Tree || !strings.Contains(e.Stdout, "Volume") {
		t.Errorf("got the text\n%s\nwant the tree", e.Stdout)
	}
	e = s.Must("debug_ui", s.on(`"mode":"screenshot"`), &got)
	if got.Tree != "" || got.Picture == nil || got.Picture.Width != 800 || len(e.Images) != 1 || e.Images[0].About != "" {
		t.Fatalf("got %+v and %d images, want a picture alone", got, len(e.Images))
	}
	if _, err := os.Stat(got.Picture.Path); err != nil || !strings.HasPrefix(e.Stdout, "saved "+got.Picture.Path+" (800×1200, ") {
		t.Errorf("got %v and the text %q, want where the picture is", err, e.Stdout)
	}
	e = s.Must("debug_ui", s.on(`"mode":"both","id":"`+s.id("Volume")+`"`), &got)
	if got.Tree == "" || got.Picture == nil || got.Picture.Width != 400 || strings.Count(e.Stdout, "saved ") != 1 {
		t.Errorf("got %+v, want the tree and the element's picture", got)
	}
	s.app.Ask("Wide", "OK", false, ui.Rect{W: 1000, H: 100})
	if e = s.Must("debug_ui", s.on(`"mode":"screenshot"`), &got); !strings.HasPrefix(e.Images[0].About, "copy in this answer: 1568×") {
		t.Errorf("got %q, want how large the copy is", e.Images[0].About)
	}
}

func TestLookFiltersTree(t *testing.T) {
	s := start(t)
	var got seen
	if s.Must("debug_ui", s.on(`"role":"slider"`), &got); got.Stats.ShownNodes != 1 || !strings.Contains(got.Tree, "Volume") {
		t.Errorf("got %+v, want the slider alone", got)
	}
	if e := s.Must("debug_ui", s.on(`"text":"nowhere"`), &got); e.Stdout != "no matching element" {
		t.Errorf("text = %q, want %q", e.Stdout, "no matching element")
	}
	if s.Must("debug_ui", s.on(`"depth":1`), &got); got.Stats.ShownNodes != 1 {
		t.Errorf("got %+v, want the window alone", got)
	}
	e := s.Must("debug_ui", s.on(`"budget":20`), &got)
	if len(got.Tree) > 80 || len(got.LeftOut) == 0 || !strings.Contains(e.Stdout, "\n… "+got.LeftOut[0]) {
		t.Errorf("got %d bytes and %q left out, want 80 at most and what is missing", len(got.Tree), got.LeftOut)
	}
	s.Refused("debug_ui", s.on(`"budget":19`), fault.InvalidInput)
	s.Refused("debug_ui", `{"sessionId":"none"}`, fault.SessionNotFound)
}
