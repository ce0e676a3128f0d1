package screen

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/film"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
)

// Films records videos of screens.
type Films struct {
	d     Deps
	films *film.Store
}

// NewFilms makes the operation that records videos.
func NewFilms(d Deps, films *film.Store) *Films { return &Films{d, films} }

// Ops lists the operation that records videos.
func (f *Films) Ops() []op.Op {
	return []op.Op{op.New(op.Spec{
		Name: "record_video", Groups: []string{"ui"}, Route: "POST /api/v1/ui/record", Timeout: 2 * time.Minute,
		Summary:  "Record a video of the screen, or stop and save it",
		Exclude:  [][]string{{"stop", "out"}, {"stop", "codec"}, {"stop", "seconds"}, {"stop", "force"}},
		Examples: []string{"record-video --out login.mp4", "record-video --stop"},
	}, f.Record)}
}

// RecordIn starts or stops a recording.
type RecordIn struct {
	target.Target
	Out   op.Path      `json:"out,omitempty" doc:"file; default: a new one in the ios-agent home"`
	Force op.Overwrite `json:"force,omitempty" doc:"overwrite out if it exists"`

	Codec   string `json:"codec,omitempty" doc:"h264 or hevc" enum:"h264,hevc" default:"h264"`
	Seconds int    `json:"seconds,omitempty" doc:"maximum duration" min:"1" max:"3600" default:"600" unit:"s"`
	Stop    bool   `json:"stop,omitempty" doc:"stop and save the recording of this device"`
}

// RecordOut is a recording.
type RecordOut struct {
	Status string `json:"status"` // recording or recorded
	UDID   string `json:"udid"`
	Path   string `json:"path"`
	TookMS int64  `json:"duration_ms"`
	Bytes  int64  `json:"size_bytes,omitempty"`
}

// Text is one line with the path.
func (o RecordOut) Text() string {
	if o.Status == "recording" {
		return fmt.Sprintf("recording to %s; stop it with %s", o.Path, hint.Do("record_video", "stop", true))
	}
	return fmt.Sprintf("recorded %.1f s to %s (%d KB)", float64(o.TookMS)/1000, o.Path, (o.Bytes+1023)/1024)
}

// Record starts or stops a recording. The session that started a recording stops it outside of the device's lane, unless another session
// has claimed the device; other sessions need the lease to stop it.
func (f *Films) Record(ctx context.Context, c *op.Call, in RecordIn) (RecordOut, error) {
	h, _, err := f.d.Access.Device(ctx, c, in.Target)
	if err != nil {
		return RecordOut{}, err
	}
	owner := device.Owner{Session: c.Session, UDID: h.Info().UDID}
	if in.Stop {
		if len(f.films.Live(owner)) > 0 {
			if err := f.d.Access.Pool.MayDrive(ctx, h, c.Session); err != nil {
				return RecordOut{}, err
			}
			return f.stop(ctx, owner.UDID, string(in.Out))
		}
		var out RecordOut
		err = f.d.Access.Do(ctx, h, func() (err error) { out, err = f.stop(ctx, owner.UDID, string(in.Out)); return err })
		return out, err
	}
	camera, err := device.As[device.Film](h.Device)
	if err != nil {
		return RecordOut{}, err
	}
	path, err := f.path(outfile.File{Path: string(in.Out), Force: bool(in.Force)}, h.Info())
	if err != nil {
		return RecordOut{}, err
	}
	err = f.d.Access.Do(ctx, h, func() error {
		return f.films.Start(ctx, camera, film.Request{Owner: owner, Path: path, Codec: in.Codec, Limit: time.Duration(in.Seconds) * time.Second})
	})
	if err != nil {
		return RecordOut{}, err
	}
	return RecordOut{Status: "recording", UDID: owner.UDID, Path: path}, nil
}

// stop saves the video, and moves it if the call names another path.
func (f *Films) stop(ctx context.Context, udid, to string) (RecordOut, error) {
	done, err := f.films.Stop(ctx, udid)
	if err != nil {
		return RecordOut{}, err
	}
	if to != "" {
		if err := film.Move(done.Path, to); err != nil {
			return RecordOut{}, fault.New(fault.PathError, "cannot move the video, which is in %s: %w", done.Path, err)
		}
		done.Path = to
	}
	return RecordOut{Status: "recorded", UDID: udid, Path: done.Path, TookMS: done.Took.Milliseconds(), Bytes: done.Bytes}, nil
}

func (f *Films) path(to outfile.File, info device.Info) (string, error) {
	if to.Path != "" {
		return to.Path, to.Check()
	}
	dir := filepath.Join(f.d.Home, "films")
	if err := outfile.Folder(dir); err != nil {
		return "", err
	}
	return filepath.Join(dir, fmt.Sprintf("%.8s-%s.mp4", info.UDID, f.d.Now().UTC().Format("20060102-150405.000"))), nil
}

// Live lists the running recordings of a session.
func (f *Films) Live(session string) []film.Film { return f.films.Live(device.Owner{Session: session}) }
