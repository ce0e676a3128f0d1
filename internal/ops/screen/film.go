package screen

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/film"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
)

// Films records screens into files.
type Films struct {
	d     Deps
	films *film.Store
}

// NewFilms makes the operation that records screens.
func NewFilms(d Deps, films *film.Store) *Films { return &Films{d, films} }

func (f *Films) Ops() []op.Op {
	return []op.Op{op.New(op.Spec{
		Name: "record_video", Groups: []string{"ui"}, Route: "POST /api/v1/ui/record", Timeout: 2 * time.Minute,
		Summary:  "Start to record the screen, or stop and save the video",
		Exclude:  [][]string{{"stop", "out"}, {"stop", "codec"}, {"stop", "seconds"}, {"stop", "force"}},
		Examples: []string{"record-video --out login.mp4", "record-video --stop"},
	}, f.Record)}
}

// RecordIn starts a film, or stops it.
type RecordIn struct {
	target.Target
	Out   op.Path      `json:"out,omitempty" doc:"file to write; a new one under the ios-agent home if absent"`
	Force op.Overwrite `json:"force,omitempty" doc:"overwrite out if it exists"`

	Codec   string `json:"codec,omitempty" doc:"h264 or hevc" enum:"h264,hevc" default:"h264"`
	Seconds int    `json:"seconds,omitempty" doc:"the recording stops by itself after this time" min:"1" max:"3600" default:"600" unit:"s"`
	Stop    bool   `json:"stop,omitempty" doc:"stop the recording of this device and save it"`
}

// RecordOut is a film.
type RecordOut struct {
	Status string `json:"status"` // recording or recorded
	UDID   string `json:"udid"`
	Path   string `json:"path"`
	TookMS int64  `json:"duration_ms"`
	Bytes  int64  `json:"size_bytes,omitempty"`
}

// Text says where it is.
func (o RecordOut) Text() string {
	if o.Status == "recording" {
		return fmt.Sprintf("recording to %s; stop it with `record-video --stop`", o.Path)
	}
	return fmt.Sprintf("recorded %.1f s to %s (%d KB)", float64(o.TookMS)/1000, o.Path, (o.Bytes+1023)/1024)
}

// Record starts a film, or stops the one of a device. A film's own session stops it beside the lane, as long as no
// other session has the device; everybody else takes the lease.
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

// stop writes the film, and moves it if it is to be elsewhere.
func (f *Films) stop(ctx context.Context, udid, to string) (RecordOut, error) {
	done, err := f.films.Stop(ctx, udid)
	if err != nil {
		return RecordOut{}, err
	}
	if to != "" {
		if err := film.Move(done.Path, to); err != nil {
			return RecordOut{}, fault.New(fault.PathError, "the video is in %s and cannot be moved: %w", done.Path, err)
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

// Live are the recordings of a session that are under way.
func (f *Films) Live(session string) []film.Film { return f.films.Live(device.Owner{Session: session}) }
