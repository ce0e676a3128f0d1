package screen_test

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/film"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/screen"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui/picture"
	"ios-agent/test/fakedevice"
)

// shot is a screenshot as clients read it.
type shot struct {
	Path, Format string
	Bytes        int `json:"size_bytes"`
	Black        bool
	picture.Size
	Copy picture.Size
}

func TestScreenshotWritesFileAndSmallCopy(t *testing.T) {
	s, got := newStand(t), shot{}
	e := s.Must("take_screenshot", `{}`, &got)
	want := filepath.Join(s.home, "screenshots", "AAAA0000-20260102-120000.005.png")
	info, err := os.Stat(want)
	if err != nil || got.Path != want || int(info.Size()) != got.Bytes || got.Format != "png" || got.Black {
		t.Fatalf("got %+v (%v), want a PNG in %s", got, err, want)
	}
	if got.Width != 800 || got.Height != 1600 || got.Copy.Width != 512 || got.Copy.Height != 1024 {
		t.Errorf("got %d×%d and a copy of %d×%d, want 800×1600 and 512×1024", got.Width, got.Height, got.Copy.Width, got.Copy.Height)
	}
	if !strings.HasPrefix(e.Stdout, "saved "+want+" (") ||
		!strings.HasSuffix(e.Stdout, fmt.Sprintf(", %d KB)", int(math.Ceil(float64(got.Bytes)/1024)))) {
		t.Errorf("got the text %q, want where it is and how large", e.Stdout)
	}
	if len(e.Images) != 1 || e.Images[0].MIME != "image/png" || !strings.HasPrefix(e.Images[0].About, "copy in this answer: ") {
		t.Errorf("got the images %d, want one copy with its size", len(e.Images))
	}
}

func TestScreenshotIsScaledToRequestedSize(t *testing.T) {
	for _, c := range []struct {
		input                string
		width, height, small int
	}{
		{`{"max_edge":400}`, 200, 400, 200},
		{`{"max_edge":1200}`, 600, 1200, 512},
		{`{"scale":0.5}`, 400, 800, 400},
	} {
		s, got := newStand(t), shot{}
		e := s.Must("take_screenshot", c.input, &got)
		if got.Width != c.width || got.Height != c.height || got.Copy.Width != c.small {
			t.Errorf("%s: got %d×%d and a copy %d wide, want %d×%d and %d", c.input, got.Width, got.Height, got.Copy.Width, c.width, c.height,
				c.small)
		}
		if about := e.Images[0].About; (about == "") != (c.width == c.small) {
			t.Errorf("%s: got %q about the copy, want it only when the copy is smaller", c.input, about)
		}
	}
}

// TestScreenshotScaleComesFromLastScreen, also when it was turned since; of no screen it is what is usual for such a device.
func TestScreenshotScaleComesFromLastScreen(t *testing.T) {
	s, got := newStand(t), shot{}
	scale := func(width, height int) float64 {
		t.Helper()
		s.phone.Pictures = [][]byte{photo(t, width, height, color.White)}
		s.Must("take_screenshot", `{"out":"`+filepath.Join(t.TempDir(), "a.png")+`"}`, &got)
		return got.Scale
	}
	if a, b := scale(800, 1600), scale(80, 160); a != 2 || b != 0 {
		t.Errorf("before a look: got %g and %g, want 2 as usual and an unknown one", a, b)
	}
	s.Must("snapshot", `{}`, nil)
	if a, b, c := scale(80, 160), scale(160, 80), scale(1600, 800); a != 0.2 || b != 0.2 || c != 2 {
		t.Errorf("after a look: got %g, %g turned and %g turned; want 0.2, 0.2 and 2", a, b, c)
	}
}

func TestRecordingTextHasDurationAndSize(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 KB", 1: "1 KB", 1024: "1 KB", 1025: "2 KB"} {
		o := screen.RecordOut{Status: "recorded", Path: "a.mp4", TookMS: 1500, Bytes: bytes}
		if got, want := o.Text(), "recorded 1.5 s to a.mp4 ("+want+")"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestScreenshotWritesJPEGOnRequest(t *testing.T) {
	s, got := newStand(t), shot{}
	s.Must("take_screenshot", `{"format":"jpeg","quality":10}`, &got)
	if data, err := os.ReadFile(got.Path); err != nil || !strings.HasPrefix(string(data), "\xff\xd8") || filepath.Ext(got.Path) != ".jpeg" {
		t.Errorf("got %s (%v), want a JPEG", got.Path, err)
	}
}

func TestScreenshotOverwritesOnlyWithForce(t *testing.T) {
	s, got := newStand(t), shot{}
	out := filepath.Join(t.TempDir(), "shop.png")
	s.Must("take_screenshot", `{"out":"`+out+`"}`, &got)
	if got.Path != out {
		t.Errorf("got the path %q, want %q", got.Path, out)
	}
	s.Refused("take_screenshot", `{"out":"`+out+`"}`, fault.PathError, out+" exists", hint.Field("force"))
	s.Must("take_screenshot", `{"out":"`+out+`","force":true}`, nil)
}

func TestScreenshotWithMarksShowsRefs(t *testing.T) {
	s, got := newStand(t), shot{}
	s.Must("take_screenshot", `{"annotate":true}`, &got)
	file, err := os.Open(got.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	drawn, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := drawn.At(200, 440).RGBA(); r == 0xffff && g == 0xffff && b == 0xffff {
		t.Error("got white at the edge of the button, want a box around it")
	}
	if got.Scale != 2 {
		t.Errorf("got the scale %g, want 2 pixels a point", got.Scale)
	}
	s.phone.Pictures = [][]byte{photo(t, 1600, 800, color.White)}
	s.Refused("take_screenshot", `{"annotate":true}`, fault.ScreenshotFailed,
		"the picture of 1600×800 pixels has another orientation than the screen of 400×800 points",
		hint.Do("rotate", "orientation", "portrait"))
	s.phone.Blind = errors.New("fog")
	s.Refused("take_screenshot", `{"annotate":true}`, fault.Internal, "fog")
}

func TestMarksHaveNamesOrRefs(t *testing.T) {
	s := newStand(t)
	source, _, err := s.room.Photograph(t.Context(), s.call(), target.Target{})
	if err != nil {
		t.Fatal(err)
	}
	for _, refs := range []bool{true, false} {
		marks, err := s.room.Marks(t.Context(), s.call(), target.Target{}, source, refs)
		if err != nil || len(marks.Boxes) != 1 || marks.Scale != 2 || marks.Above == refs {
			t.Fatalf("refs %t: got %+v, %v, want one box", refs, marks, err)
		}
		box := marks.Boxes[0]
		if box.X != 100 || box.Y != 200 || box.W != 200 || box.H != 40 || (box.Name == "Button: Buy") == refs || refs && box.Name[0] != 'e' {
			t.Errorf("refs %t: got the box %+v, want the button", refs, box)
		}
	}
}

func (s *stand) call() *op.Call { return &op.Call{Session: "a", Hints: op.ReadOnly} }

func TestBlackScreenshotIsTakenAgain(t *testing.T) {
	s, got := newStand(t), shot{}
	black, white := photo(t, 800, 1600, color.Black), photo(t, 800, 1600, color.White)
	s.phone.Pictures = [][]byte{black, white}
	if s.Must("take_screenshot", `{"max_edge":64}`, &got); got.Black || len(s.phone.Sent) != 2 {
		t.Errorf("got black %t after %q, want a picture after the second time", got.Black, s.phone.Sent)
	}
	s.phone.Pictures, s.phone.Sent = [][]byte{black}, nil
	s.Room = fakedevice.Open(t, s.room.Ops())
	e := s.Must("take_screenshot", `{"out":"`+filepath.Join(t.TempDir(), "b.png")+`"}`, &got)
	if !got.Black || len(s.phone.Sent) != 2 || !strings.Contains(e.Stdout, "\nthe picture is all black, at the second attempt too") {
		t.Errorf("got black %t after %q and %q, want it told", got.Black, s.phone.Sent, e.Stdout)
	}
	s.phone.Pictures, s.phone.Sent = [][]byte{white}, nil
	if s.Must("take_screenshot", `{"out":"`+filepath.Join(t.TempDir(), "w.png")+`"}`, &got); len(s.phone.Sent) != 1 {
		t.Errorf("got the screenshots %q, want one", s.phone.Sent)
	}
}

func TestDamagedPictureIsAFault(t *testing.T) {
	s := newStand(t)
	s.phone.Pictures = [][]byte{[]byte("nothing")}
	s.Refused("take_screenshot", `{}`, fault.ScreenshotFailed, "the picture of Paper Phone is not a PNG")
	s.phone.Refuse = func(string) error { return fault.New(fault.AgentFailed, "no light") }
	s.Refused("take_screenshot", `{}`, fault.AgentFailed, "no light")
	s.Refused("take_screenshot", `{"udid":"X"}`, fault.DeviceNotFound, "X")
	blind := screen.New(screen.Deps{Access: fakedevice.Reach(t, bare{s.phone}), Home: s.home, Now: time.Now})
	fakedevice.Open(t, blind.Ops()).Refused("take_screenshot", `{}`, fault.Unsupported, "which cannot take screenshots")
}

// bare is a phone that can nothing.
type bare struct{ device.Device }

// studio is a phone that films.
type studio struct {
	*fakedevice.Paper
	codec string
}

func (s *studio) Record(_ context.Context, path, codec string) (io.Closer, error) {
	if path == "" {
		return nil, errors.New("no path")
	}
	s.codec = codec
	return reel(path), nil
}

// reel becomes a file when it is closed.
type reel string

func (r reel) Close() error { return os.WriteFile(string(r), make([]byte, 1500), 0o600) }

// newStudio is a phone that films, and the operation that has it do so.
func newStudio(t *testing.T) (*fakedevice.Room, *studio, *screen.Films, string) {
	t.Helper()
	phone, home := &studio{Paper: &fakedevice.Paper{}}, t.TempDir()
	films := screen.NewFilms(screen.Deps{Access: fakedevice.Free(t, phone), Home: home, Now: func() time.Time { return noon }},
		film.New(film.Options{}))
	return fakedevice.Open(t, films.Ops()), phone, films, home
}

func TestRecordVideoStartsAndStops(t *testing.T) {
	room, phone, films, home := newStudio(t)
	var got screen.RecordOut
	e := room.Must("record_video", `{}`, &got)
	want := filepath.Join(home, "films", "AAAA0000-20260102-120000.005.mp4")
	if got.Path != want || got.Status != "recording" || got.UDID != fakedevice.UDID || phone.codec != "h264" {
		t.Errorf("got %+v in %s, want a recording to %s in h264", got, phone.codec, want)
	}
	if said := "recording to " + want + "; stop it with " + hint.Do("record_video", "stop", true); e.Stdout != said {
		t.Errorf("got %q, want %q", e.Stdout, said)
	}
	if live := films.Live("a"); len(live) != 1 {
		t.Errorf("got %d recordings of the session, want 1", len(live))
	}
	if live := films.Live("b"); len(live) != 0 {
		t.Errorf("got %d recordings of another session, want none", len(live))
	}
	e = room.Must("record_video", `{"stop":true}`, &got)
	if got.Status != "recorded" || got.Path != want || got.Bytes != 1500 || !strings.HasSuffix(e.Stdout, " s to "+want+" (2 KB)") {
		t.Errorf("got %+v and %q, want the film of 2 KB", got, e.Stdout)
	}
	if e := room.Run("record_video", `{"stop":true}`); e.Error == nil {
		t.Errorf("got %q, want a fault: nothing is recorded", e.Stdout)
	}
}

func TestOtherSessionCanStopRecording(t *testing.T) {
	room, _, _, _ := newStudio(t)
	room.Must("record_video", `{"codec":"hevc"}`, nil)
	room.Call.Session = "b"
	var got screen.RecordOut
	if room.Must("record_video", `{"stop":true}`, &got); got.Status != "recorded" {
		t.Errorf("got %+v, want it recorded", got)
	}
}

func TestRecordVideoStopMovesFile(t *testing.T) {
	room, _, films, _ := newStudio(t)
	room.Must("record_video", `{}`, nil)
	to := filepath.Join(t.TempDir(), "login.mp4")
	out, err := films.Record(t.Context(), &op.Call{Session: "a"}, screen.RecordIn{Stop: true, Out: op.Path(to)})
	if err != nil || out.Path != to {
		t.Errorf("got %+v, %v, want the film in %s", out, err, to)
	}
	room.Must("record_video", `{"out":"`+filepath.Join(t.TempDir(), "a.mp4")+`"}`, nil)
	nowhere := filepath.Join(to, "below-a-file.mp4")
	_, err = films.Record(t.Context(), &op.Call{Session: "a"}, screen.RecordIn{Stop: true, Out: op.Path(nowhere)})
	if got := fault.From(err); err == nil || got.Code != fault.PathError || !strings.Contains(got.Message, "cannot move the video") {
		t.Errorf("got %v, want the fault that it cannot be moved", err)
	}
}

func TestRecordVideoRefusesInvalidInput(t *testing.T) {
	room, phone, _, home := newStudio(t)
	there := filepath.Join(home, "there.mp4")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	room.Refused("record_video", `{"out":"`+there+`"}`, fault.PathError, "exists")
	room.Refused("record_video", `{"stop":true,"codec":"hevc"}`, fault.InvalidInput, "codec")
	room.Refused("record_video", `{"seconds":3601}`, fault.InvalidInput, "3600")
	room.Refused("record_video", `{"udid":"X"}`, fault.DeviceNotFound, "X")
	room.Must("record_video", `{"out":"`+there+`","force":true}`, nil)
	plain := screen.NewFilms(screen.Deps{Access: fakedevice.Reach(t, bare{phone}), Home: home, Now: time.Now}, film.New(film.Options{}))
	fakedevice.Open(t, plain.Ops()).Refused("record_video", `{}`, fault.Unsupported, "which cannot record the screen")
}
