package ops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// films are the recordings under way, at most one a device. One that nobody ends is ended by its limit, or with the
// daemon.
type films struct {
	desk
	home string
	now  func() time.Time

	mu   sync.Mutex
	live map[string]*film // by udid
}

type film struct {
	path  string
	began time.Time
	limit *time.Timer
	end   func() error // once
}

func (f *films) ops() []op.Op {
	return []op.Op{op.New(op.Spec{
		Name: "record_video", Groups: []string{"ui"}, Verb: "record-video", Route: "POST /api/v1/ui/record", Timeout: 2 * time.Minute,
		Summary:  "Start to film the screen, or stop and write the film",
		Exclude:  [][]string{{"stop", "out"}, {"stop", "codec"}, {"stop", "seconds"}},
		Examples: []string{"record-video --out login.mp4", "record-video --stop"},
	}, f.record)}
}

// RecordIn starts a film, or stops it.
type RecordIn struct {
	Target
	Out     op.Path `json:"out,omitempty" doc:"file to write; a new one under the ios-agent home if absent"`
	Codec   string  `json:"codec,omitempty" doc:"h264 or hevc" enum:"h264,hevc" default:"h264"`
	Seconds int     `json:"seconds,omitempty" doc:"stop by itself after so long" min:"1" max:"3600" default:"600"`
	Stop    bool    `json:"stop,omitempty" doc:"stop the film of this device and write it"`
}

// RecordOut is a film.
type RecordOut struct {
	Status  string  `json:"status"` // recording or recorded
	UDID    string  `json:"udid"`
	Path    string  `json:"path"`
	Seconds float64 `json:"seconds"`
	Bytes   int64   `json:"size_bytes,omitempty"`
}

// Text says where it is.
func (o RecordOut) Text() string {
	if o.Status == "recording" {
		return fmt.Sprintf("recording to %s; end it with `record-video --stop`", o.Path)
	}
	return fmt.Sprintf("recorded %.1f s to %s (%d KB)", o.Seconds, o.Path, (o.Bytes+1023)/1024)
}

func (f *films) record(ctx context.Context, c *op.Call, in RecordIn) (RecordOut, error) {
	h, _, err := f.device(ctx, c, in.Target)
	if err != nil {
		return RecordOut{}, err
	}
	udid := h.Info().UDID
	if in.Stop {
		return f.stop(udid, h.Info().Name)
	}
	camera, err := device.As[device.Film](h.Device)
	if err != nil {
		return RecordOut{}, err
	}
	path, err := f.path(string(in.Out), h.Info())
	if err != nil {
		return RecordOut{}, err
	}
	if err := f.start(ctx, udid, path, in, camera); err != nil {
		return RecordOut{}, err
	}
	return RecordOut{Status: "recording", UDID: udid, Path: path}, nil
}

// start keeps the place of the film while it begins: two callers at once get one film and one refusal.
func (f *films) start(ctx context.Context, udid, path string, in RecordIn, camera device.Film) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.live[udid]; now != nil {
		return fault.New(fault.InvalidInput, "this device is being filmed already, to %s", now.path).WithHint("end it with `ios-agent record-video --stop`")
	}
	running, err := camera.Record(context.WithoutCancel(ctx), path, in.Codec)
	if err != nil {
		return err
	}
	f.live[udid] = &film{
		path: path, began: f.now(), end: sync.OnceValue(running.Close),
		limit: time.AfterFunc(time.Duration(in.Seconds)*time.Second, func() { f.stop(udid, "") }),
	}
	return nil
}

func (f *films) stop(udid, name string) (RecordOut, error) {
	f.mu.Lock()
	live := f.live[udid]
	delete(f.live, udid)
	f.mu.Unlock()
	if live == nil {
		return RecordOut{}, fault.New(fault.InvalidInput, "%s is not being filmed", name).WithHint("start with `ios-agent record-video --out FILE`; a film ends by itself after its limit")
	}
	live.limit.Stop()
	if err := live.end(); err != nil {
		return RecordOut{}, err
	}
	info, err := os.Stat(live.path)
	if err != nil {
		return RecordOut{}, fault.New(fault.ScreenshotFailed, "the film was not written: %w", err)
	}
	return RecordOut{Status: "recorded", UDID: udid, Path: live.path, Seconds: f.now().Sub(live.began).Seconds(), Bytes: info.Size()}, nil
}

func (f *films) path(path string, info device.Info) (string, error) {
	if path != "" {
		return path, nil
	}
	dir := filepath.Join(f.home, "films")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fault.New(fault.PathError, "%w", err)
	}
	return filepath.Join(dir, fmt.Sprintf("%.8s-%s.mp4", info.UDID, f.now().UTC().Format("20060102-150405.000"))), nil
}
