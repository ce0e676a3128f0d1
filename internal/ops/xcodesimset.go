package ops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui/picture"
)

// RecordSimIn starts a film or stops it.
type RecordSimIn struct {
	SimIn
	Start bool    `json:"start,omitempty" doc:"start to film"`
	Stop  bool    `json:"stop,omitempty" doc:"stop, and write the film to outputFile"`
	FPS   int     `json:"fps,omitempty" doc:"frames a second; simctl films every change at the simulator's own rate, so that this is only noted" min:"1" max:"120" default:"30"`
	Out   op.Path `json:"outputFile,omitempty" doc:"file for the film; needed with stop, ignored with start"`
}

// RecordSimOut is a film.
type RecordSimOut struct {
	SimOut
	State   string   `json:"state"` // recording or stopped
	FPS     int      `json:"fps,omitempty"`
	Session string   `json:"sessionId,omitempty"`
	Out     string   `json:"outputFile,omitempty"`
	Bytes   int64    `json:"sizeBytes,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// Text says where it is.
func (o RecordSimOut) Text() string {
	text := o.Message
	for _, n := range o.Notes {
		text += "\nnote: " + n
	}
	return andNext(text, o.NextSteps)
}

func (s *simulators) record(ctx context.Context, c *op.Call, in RecordSimIn) (RecordSimOut, error) {
	switch {
	case in.Start == in.Stop:
		return RecordSimOut{}, fault.New(fault.InvalidInput, "record_sim_video: give start: true or stop: true, not both").With("field", "start")
	case in.Stop && in.Out == "":
		return RecordSimOut{}, fault.New(fault.InvalidInput, "record_sim_video: outputFile is required with stop").With("field", "outputFile")
	}
	in, target, err := simCall(ctx, s, c, in, func(in *RecordSimIn) *SimIn { return &in.SimIn })
	if err != nil {
		return RecordSimOut{}, err
	}
	done, err := s.films.record(ctx, c, RecordIn{Target: target, Codec: "h264", Seconds: longestFilm, Stop: in.Stop})
	if err != nil {
		return RecordSimOut{}, err
	}
	out := RecordSimOut{SimOut: SimOut{ID: done.UDID, Name: c.Device.Name}, Session: done.UDID}
	if in.Start {
		out.State, out.FPS = "recording", in.FPS
		out.Message = "filming " + out.Name
		out.NextSteps = []string{nextCall("record_sim_video", "simulatorId", done.UDID, "stop", true, "outputFile", "/path/to/output.mp4")}
		if in.Out != "" {
			out.Notes = append(out.Notes, "outputFile is ignored with start; give it with stop")
		}
		return out, nil
	}
	if err := moveFile(done.Path, string(in.Out)); err != nil {
		return RecordSimOut{}, fault.New(fault.PathError, "the film is in %s, and cannot be moved: %w", done.Path, err)
	}
	out.State, out.Out, out.Bytes = "stopped", string(in.Out), done.Bytes
	out.Message = fmt.Sprintf("filmed %.1f s of %s to %s", done.Seconds, out.Name, in.Out)
	return out, nil
}

// longestFilm is when a film that nobody ends is ended, in seconds.
const longestFilm = 3600

// moveFile moves a file, to another disk too.
func moveFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if os.Rename(from, to) == nil {
		return nil
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err = errors.Join(err, target.Close()); err != nil {
		return err
	}
	return os.Remove(from)
}

// EraseSimsIn says which simulators to erase.
type EraseSimsIn struct {
	SimIn
	UDID     string `json:"simulatorUdid,omitempty" doc:"simulatorId by its old name" cli:"-"`
	All      bool   `json:"all,omitempty" doc:"erase every simulator; excludes simulatorId and simulatorName"`
	Shutdown bool   `json:"shutdownFirst,omitempty" doc:"shut a booted simulator down first; without it a booted one is refused"`
}

// EraseSimsOut is what was erased.
type EraseSimsOut struct {
	SimOut
	Erased []string `json:"erased"` // udids
}

func (s *simulators) erase(ctx context.Context, c *op.Call, in EraseSimsIn) (EraseSimsOut, error) {
	if in.All && (in.ID != "" || in.Name != "" || in.UUID != "" || in.UDID != "") {
		return EraseSimsOut{}, fault.New(fault.InvalidInput, "erase_sims: a simulator and all exclude each other").With("field", "all").
			WithHint("give simulatorId, or all: true")
	}
	if in.UDID != "" && in.UUID == "" {
		in.UUID, in.UDID = in.UDID, ""
	}
	targets, err := s.toErase(ctx, c, in)
	if err != nil {
		return EraseSimsOut{}, err
	}
	out := EraseSimsOut{Erased: []string{}}
	for i, t := range targets {
		c.Report(op.Event{Message: fmt.Sprintf("erasing %d of %d", i+1, len(targets)), Done: float64(i), Total: float64(len(targets))})
		if err := s.eraseOne(ctx, c, t, in.Shutdown); err != nil {
			return out, err
		}
		out.Erased = append(out.Erased, c.Device.UDID)
	}
	out.Message = fmt.Sprintf("erased %d simulators", len(out.Erased))
	if len(out.Erased) == 1 {
		out.ID, out.Name = c.Device.UDID, c.Device.Name
		out.Message = "erased " + out.Name
		out.NextSteps = []string{nextCall("boot_sim", "simulatorId", out.ID)}
	}
	return out, nil
}

// toErase are the simulators that are meant. With all, booted ones are refused before anything is erased.
func (s *simulators) toErase(ctx context.Context, c *op.Call, in EraseSimsIn) ([]Target, error) {
	if !in.All {
		_, target, err := simCall(ctx, s, c, in, func(in *EraseSimsIn) *SimIn { return &in.SimIn })
		return []Target{target}, err
	}
	infos, err := s.pool.List(ctx)
	if err != nil {
		return nil, err
	}
	var targets []Target
	for _, i := range infos {
		if i.Type != "simulator" || !i.Available {
			continue
		}
		if i.State == device.Booted && !in.Shutdown {
			return nil, stillBooted(i.Name)
		}
		targets = append(targets, Target{UDID: i.UDID})
	}
	return targets, nil
}

func stillBooted(name string) error {
	return fault.New(fault.InvalidInput, "%s is booted, and a booted simulator cannot be erased", name).With("field", "shutdownFirst").
		WithHint("call again with shutdownFirst: true, which ends whatever runs on it")
}

func (s *simulators) eraseOne(ctx context.Context, c *op.Call, t Target, shutdown bool) error {
	h, _, err := s.device(ctx, c, t)
	if err != nil {
		return err
	}
	state, err := s.pool.State(ctx, h.Info().UDID)
	if err != nil {
		return err
	}
	if state == device.Booted && !shutdown {
		return stillBooted(h.Info().Name)
	}
	eraser, err := device.As[device.Eraser](h.Device)
	if err != nil {
		return err
	}
	if err := s.do(ctx, h, func() error { return eraser.Erase(ctx) }); err != nil {
		return err
	}
	s.sessions.Forget(h.Info().UDID)
	return nil
}

// PlaceSimIn is a place.
type PlaceSimIn struct {
	SimIn
	Latitude  float64 `json:"latitude" doc:"degrees north" min:"-90" max:"90"`
	Longitude float64 `json:"longitude" doc:"degrees east" min:"-180" max:"180"`
}

func (s *simulators) place(ctx context.Context, c *op.Call, in PlaceSimIn) (SimOut, error) {
	in, target, err := simCall(ctx, s, c, in, func(in *PlaceSimIn) *SimIn { return &in.SimIn })
	if err != nil {
		return SimOut{}, err
	}
	done, err := s.settings.location(ctx, c, LocationIn{Target: target, Latitude: &in.Latitude, Longitude: &in.Longitude})
	return simOut(c, done.StatusOut, err)
}

func simOut(c *op.Call, done StatusOut, err error) (SimOut, error) {
	if err != nil {
		return SimOut{}, err
	}
	return SimOut{Message: done.text, ID: done.UDID, Name: c.Device.Name}, nil
}

// NoPlaceSimIn names the simulator.
type NoPlaceSimIn struct{ SimIn }

func (s *simulators) noPlace(ctx context.Context, c *op.Call, in NoPlaceSimIn) (SimOut, error) {
	_, target, err := simCall(ctx, s, c, in, func(in *NoPlaceSimIn) *SimIn { return &in.SimIn })
	if err != nil {
		return SimOut{}, err
	}
	done, err := s.settings.location(ctx, c, LocationIn{Target: target, Clear: true})
	return simOut(c, done.StatusOut, err)
}

// AppearanceSimIn is dark or light.
type AppearanceSimIn struct {
	SimIn
	Mode string `json:"mode" doc:"dark or light" enum:"dark,light"`
}

func (s *simulators) appearance(ctx context.Context, c *op.Call, in AppearanceSimIn) (SimOut, error) {
	in, target, err := simCall(ctx, s, c, in, func(in *AppearanceSimIn) *SimIn { return &in.SimIn })
	if err != nil {
		return SimOut{}, err
	}
	done, err := s.settings.appearance(ctx, c, AppearanceIn{Target: target, Mode: in.Mode})
	return simOut(c, done.StatusOut, err)
}

// StatusbarSimIn is the network to show.
type StatusbarSimIn struct {
	SimIn
	Network string `json:"dataNetwork" doc:"the data network to show; clear ends all overrides" enum:"clear,hide,wifi,3g,4g,lte,lte-a,lte+,5g,5g+,5g-uwb,5g-uc"`
}

func (s *simulators) statusbar(ctx context.Context, c *op.Call, in StatusbarSimIn) (SimOut, error) {
	in, target, err := simCall(ctx, s, c, in, func(in *StatusbarSimIn) *SimIn { return &in.SimIn })
	if err != nil {
		return SimOut{}, err
	}
	bar := StatusBarIn{Target: target, DataNetwork: in.Network}
	if in.Network == "clear" {
		bar = StatusBarIn{Target: target, Clear: true}
	}
	done, err := s.settings.statusBar(ctx, c, bar)
	return simOut(c, done, err)
}

// ScreenshotSimIn says what to give.
type ScreenshotSimIn struct {
	SimIn
	Format string `json:"returnFormat,omitempty" doc:"base64 gives the picture itself, path a file with it" enum:"base64,path" default:"base64"`
}

// ScreenshotSimOut is a picture: 800 pixels at most, as XcodeBuildMCP makes them.
type ScreenshotSimOut struct {
	SimOut
	Format string `json:"format"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Path   string `json:"screenshotPath,omitempty"`

	made picture.Picture
}

// Images is the picture, unless it went to a file.
func (o ScreenshotSimOut) Images() []op.Image {
	if o.Path != "" {
		return nil
	}
	return []op.Image{{MIME: o.made.MIME, Data: o.made.Data}}
}

func (s *simulators) screenshot(ctx context.Context, c *op.Call, in ScreenshotSimIn) (ScreenshotSimOut, error) {
	in, target, err := simCall(ctx, s, c, in, func(in *ScreenshotSimIn) *SimIn { return &in.SimIn })
	if err != nil {
		return ScreenshotSimOut{}, err
	}
	source, info, err := s.screen.photograph(ctx, c, target)
	if err != nil {
		return ScreenshotSimOut{}, err
	}
	made, err := picture.Make(source, picture.Fit{Format: "jpeg", Edge: 800, Quality: 75})
	if err != nil {
		return ScreenshotSimOut{}, fault.New(fault.ScreenshotFailed, "the picture of %s: %w", info.Name, err)
	}
	out := ScreenshotSimOut{
		SimOut: SimOut{Message: fmt.Sprintf("screen of %s, %d×%d pixels, which are not the points that taps take", info.Name, made.Width, made.Height), ID: info.UDID, Name: info.Name},
		Format: "image/jpeg", Width: made.Width, Height: made.Height, made: made,
	}
	if in.Format == "path" {
		if out.Path, err = s.screen.save("", info, "jpg", made.Data); err != nil {
			return ScreenshotSimOut{}, err
		}
		out.Message = "saved " + out.Path + ": " + out.Message
	}
	return out, nil
}
