package xcode

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/screen"
	"ios-agent/internal/ops/settings"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui/picture"
)

// simulatorSettings are the tools for a simulator's settings, screenshots and videos.
func (v views) simulatorSettings() []op.Op {
	film := tool(recordSimVideo,
		"Start recording a simulator, or stop and save the video", 0, inSimulator)
	film.Exclude, film.Require = [][]string{{"start", "stop"}}, [][]string{{"start", "stop"}}
	shot := tool(screenshotTool, "Take a screenshot of a simulator; positions come from describe_ui", op.ReadOnly,
		"ui-automation", "ui-testing", inSimulator)
	return []op.Op{
		sim(v, taking(2*time.Minute, film, `record-sim-video --simulator-name "iPhone 16" --start`,
			`record-sim-video --simulator-name "iPhone 16" --stop --output-file login.mp4`), v.recordSim),
		sim(v, taking(time.Minute, shot), v.screenshotSim),
		sim(v, taking(0, tool(setSimLocation, "Set the location of a simulator", op.Idempotent, inManagement),
			`set-sim-location --simulator-name "iPhone 16" --latitude 37.7749 --longitude -122.4194`), v.placeSim),
		sim(v, taking(0, tool(resetSimLocation, "Reset a simulator's location", op.Idempotent, inManagement),
			`reset-sim-location --simulator-name "iPhone 16"`), v.unplaceSim),
		sim(v, taking(0, tool(setSimAppearance, "Set a simulator's appearance: dark or light", op.Idempotent, inManagement),
			`set-sim-appearance --simulator-name "iPhone 16" --mode dark`), v.appearanceOfSim),
		sim(v, taking(0, tool(simStatusbar,
			"Set the data network in a simulator's status bar", op.Idempotent, inManagement),
			`sim-statusbar --simulator-name "iPhone 16" --data-network 5g`), v.statusBarOfSim),
	}
}

type recordSimIn struct {
	simIn
	Start bool    `json:"start,omitempty" doc:"start recording"`
	Stop  bool    `json:"stop,omitempty" doc:"stop, and save the video to outputFile"`
	FPS   int     `json:"fps,omitempty" doc:"ignored: simctl records every change" min:"1" max:"120" default:"30"`
	Out   op.Path `json:"outputFile,omitempty" doc:"video file; required with stop"`
}

type recordSimOut struct {
	simOut
	State   string   `json:"state"` // recording or stopped
	FPS     int      `json:"fps,omitempty"`
	Session string   `json:"sessionId,omitempty"`
	Out     string   `json:"outputFile,omitempty"`
	Bytes   int64    `json:"sizeBytes,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// Text is the message, the notes and the next steps.
func (o recordSimOut) Text() string { return andNext(withNotes(o.Message, o.Notes), o.NextSteps) }

// longestFilm is the maximum length of a recording in seconds.
const longestFilm = 3600

func (v views) recordSim(ctx context.Context, c *op.Call, in recordSimIn, on target.Target) (recordSimOut, error) {
	switch {
	case in.Start == in.Stop:
		return recordSimOut{}, fault.New(fault.InvalidInput, "record_sim_video: give start: true or stop: true, not both").With("field", "start")
	case in.Stop && in.Out == "":
		return recordSimOut{}, fault.New(fault.InvalidInput, "record_sim_video: outputFile is required with stop").With("field", "outputFile")
	}
	film := screen.RecordIn{Target: on, Codec: "h264", Seconds: longestFilm, Stop: in.Stop}
	if in.Stop {
		film.Out = in.Out
	}
	done, err := v.core.Films.Record(ctx, c, film)
	if err != nil {
		return recordSimOut{}, err
	}
	out := recordSimOut{simOut: simOut{ID: done.UDID, Name: c.Device.Name}, Session: done.UDID}
	if in.Stop {
		out.State, out.Out, out.Bytes = "stopped", done.Path, done.Bytes
		out.Message = fmt.Sprintf("recorded %.1f s of %s to %s", float64(done.TookMS)/1000, out.Name, done.Path)
		return out, nil
	}
	out.State, out.FPS, out.Message = "recording", in.FPS, "recording "+out.Name
	out.NextSteps = []string{nextCall(recordSimVideo, "simulatorId", done.UDID, "stop", true, "outputFile", "/path/to/output.mp4")}
	if in.Out != "" {
		out.Notes = append(out.Notes, "outputFile is ignored with start; give it with stop")
	}
	return out, nil
}

type screenshotSimIn struct {
	simIn
	Format string `json:"returnFormat,omitempty" doc:"the image itself, or a file" enum:"base64,path" default:"base64"`
}

// screenshotSimOut is a screenshot of at most 800 pixels, as XcodeBuildMCP makes them.
type screenshotSimOut struct {
	simOut
	Format string `json:"format"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Path   string `json:"screenshotPath,omitempty"`

	made picture.Picture
}

// Images is the screenshot, unless it is in a file.
func (o screenshotSimOut) Images() []op.Image {
	if o.Path != "" {
		return nil
	}
	return []op.Image{{MIME: o.made.MIME, Data: o.made.Data}}
}

func (v views) screenshotSim(ctx context.Context, c *op.Call, in screenshotSimIn, on target.Target) (screenshotSimOut, error) {
	source, info, err := v.core.Screen.Photograph(ctx, c, on)
	if err != nil {
		return screenshotSimOut{}, err
	}
	made, err := picture.Make(source, picture.Fit{Format: "jpeg", Edge: 800, Quality: 75})
	if err != nil {
		return screenshotSimOut{}, fault.New(fault.ScreenshotFailed, "cannot convert the screenshot of %s: %w", info.Name, err)
	}
	out := screenshotSimOut{Format: "image/jpeg", Width: made.Width, Height: made.Height, made: made}
	out.ID, out.Name = info.UDID, info.Name
	out.Message = fmt.Sprintf("screen of %s, %s", info.Name, v.core.Screen.Sized(c, info, source, made).Text())
	if in.Format == "path" {
		if out.Path, err = v.core.Screen.Save(outfile.File{}, info, "jpg", made.Data); err != nil {
			return screenshotSimOut{}, err
		}
		out.Message = "saved " + out.Path + ": " + out.Message
	}
	return out, nil
}

// set is the answer of a changed setting.
func set(c *op.Call, done target.StatusOut, err error) (simOut, error) {
	if err != nil {
		return simOut{}, err
	}
	return simOut{Message: done.Text(), ID: done.UDID, Name: c.Device.Name}, nil
}

type placeSimIn struct {
	simIn
	Latitude  float64 `json:"latitude" doc:"degrees north" min:"-90" max:"90"`
	Longitude float64 `json:"longitude" doc:"degrees east" min:"-180" max:"180"`
}

func (v views) placeSim(ctx context.Context, c *op.Call, in placeSimIn, on target.Target) (simOut, error) {
	done, err := v.core.Settings.Location(ctx, c, settings.LocationIn{Target: on, Latitude: &in.Latitude, Longitude: &in.Longitude})
	return set(c, done.StatusOut, err)
}

func (v views) unplaceSim(ctx context.Context, c *op.Call, _ simIn, on target.Target) (simOut, error) {
	done, err := v.core.Settings.Location(ctx, c, settings.LocationIn{Target: on, Clear: true})
	return set(c, done.StatusOut, err)
}

type appearanceSimIn struct {
	simIn
	Mode string `json:"mode" doc:"dark or light" enum:"dark,light"`
}

func (v views) appearanceOfSim(ctx context.Context, c *op.Call, in appearanceSimIn, on target.Target) (simOut, error) {
	done, err := v.core.Settings.Appearance(ctx, c, settings.AppearanceIn{Target: on, Mode: in.Mode})
	return set(c, done.StatusOut, err)
}

type statusBarSimIn struct {
	simIn
	Network string `json:"dataNetwork" doc:"clear ends all overrides" enum:"clear,hide,wifi,3g,4g,lte,lte-a,lte+,5g,5g+,5g-uwb,5g-uc"`
}

func (v views) statusBarOfSim(ctx context.Context, c *op.Call, in statusBarSimIn, on target.Target) (simOut, error) {
	bar := settings.StatusBarIn{Target: on, DataNetwork: in.Network}
	if in.Network == "clear" {
		bar = settings.StatusBarIn{Target: on, Clear: true}
	}
	done, err := v.core.Settings.StatusBar(ctx, c, bar)
	return set(c, done, err)
}
