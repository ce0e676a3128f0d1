package crashes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/apple/crash"
	"ios-agent/internal/apple/reports"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/text/lazyregexp"
)

// Options configure a Watcher.
type Options struct {
	Folders []string // folders of the system
	Drop    string   // folder for people, and for copies from devices in subfolders named by udid
	Store   *telemetry.Store
	Hook    *Hook // runs for each new crash; may be nil
	Log     *slog.Logger
	Every   time.Duration // interval of the looks; 0 is Interval, negative is never
}

const (
	// Interval is how often the watcher looks into the folders. A look without changes only reads a few modification times.
	Interval = 10 * time.Second
	// Listed is the maximum age of reports from before the watcher's start.
	Listed = 7 * 24 * time.Hour
	// unfinished is how long the watcher waits for the body of a report.
	unfinished = 10 * time.Second
	grain      = time.Second // rounding of file times
)

// Watcher looks into folders. It is safe for concurrent use.
type Watcher struct {
	o     Options
	began time.Time
	stop  context.CancelFunc
	ended sync.WaitGroup

	looking chan struct{}   // held during a look: looks run one after the other
	looked  map[string]bool // drop folders that have been read; guarded by looking
	feed    *telemetry.Feed

	mu      sync.Mutex
	seen    map[string]seen
	folders map[string]time.Time // last modification times
}

// seen is a file that was read.
type seen struct {
	file  reports.File
	about string // why it is not a document; empty: it is one
	half  bool   // it was incomplete
}

// New makes a watcher that looks until it is closed.
func New(o Options) *Watcher {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Every == 0 {
		o.Every = Interval
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &Watcher{o: o, began: time.Now(), stop: cancel, looking: make(chan struct{}, 1), seen: map[string]seen{},
		looked: map[string]bool{}, folders: map[string]time.Time{}}
	if o.Every > 0 {
		w.ended.Go(func() { w.watch(ctx) })
	}
	return w
}

// Close ends the watcher after its running look.
func (w *Watcher) Close() error {
	w.stop()
	w.ended.Wait()
	w.mu.Lock()
	feed := w.feed
	w.feed = nil
	w.mu.Unlock()
	if feed != nil {
		feed.Close()
	}
	return w.o.Hook.Close()
}

func (w *Watcher) watch(ctx context.Context) {
	tick := time.NewTicker(w.o.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !w.changed() {
			continue
		}
		if err := w.look(ctx, w.began.Add(-grain)); err != nil && ctx.Err() == nil {
			w.o.Log.Warn("crash reports", "error", err)
		}
	}
}

// dirs are all watched folders.
func (w *Watcher) dirs() []string {
	all := slices.Clone(w.o.Folders)
	if w.o.Drop == "" {
		return all
	}
	all = append(all, w.o.Drop)
	entries, err := os.ReadDir(w.o.Drop)
	if err != nil {
		return all
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != reports.Retired && len(all) < mostDirs {
			all = append(all, filepath.Join(w.o.Drop, e.Name()))
		}
	}
	return all
}

const mostDirs = 50

// changed reports whether a folder has gained or lost a file since the last look, or a file was incomplete then.
func (w *Watcher) changed() bool {
	now := map[string]time.Time{}
	for _, dir := range w.dirs() {
		for _, d := range []string{dir, filepath.Join(dir, reports.Retired)} {
			if info, err := os.Stat(d); err == nil {
				now[d] = info.ModTime()
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	is := len(now) != len(w.folders)
	for dir, at := range now {
		is = is || !w.folders[dir].Equal(at)
	}
	for _, s := range w.seen {
		is = is || s.half
	}
	w.folders = now
	return is
}

// Look reads new reports, and recent reports from before this watcher.
func (w *Watcher) Look(ctx context.Context) error { return w.look(ctx, time.Now().Add(-Listed)) }

func (w *Watcher) look(ctx context.Context, since time.Time) error {
	select {
	case w.looking <- struct{}{}:
		defer func() { <-w.looking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	var errs []error
	there := map[string]bool{}
	for _, dir := range w.dirs() {
		in, from := place{}, since
		if w.o.Drop != "" && (dir == w.o.Drop || filepath.Dir(dir) == w.o.Drop) {
			from = time.Time{} // a person who puts a report there wants it read
			in.news = w.looked[dir]
			if name := filepath.Base(dir); udids.MatchString(name) {
				in.udid = name
			}
			w.looked[dir] = true
		}
		for _, f := range reports.In(dir, from) {
			there[f.Path] = true
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if w.isSeen(f) {
				continue
			}
			s, err := w.take(ctx, f, in)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			w.mu.Lock()
			w.seen[f.Path] = s
			w.mu.Unlock()
		}
	}
	w.forget(there, since)
	return errors.Join(errs...)
}

// place is a folder with a report.
type place struct {
	udid string // device of the reports in it
	news bool   // every report in it counts as new, because copies keep old file times
}

// udids match the names of folders with a device's reports.
var udids = lazyregexp.New(`^[0-9A-Fa-f]{8}-[0-9A-Fa-f-]{16,27}$|^[0-9a-f]{40}$`)

// forget drops missing files. The id of a report recognizes it after a move.
func (w *Watcher) forget(there map[string]bool, since time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for path, s := range w.seen {
		if !there[path] && !s.file.Time.Before(since) {
			delete(w.seen, path)
		}
	}
}

func (w *Watcher) isSeen(f reports.File) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	old, is := w.seen[f.Path]
	return is && old.file.Size == f.Size && old.file.Time.Equal(f.Time) && (!old.half || !w.late(f))
}

// late reports whether an incomplete file is too old to be still in writing.
func (w *Watcher) late(f reports.File) bool { return time.Since(f.Time) > unfinished }

// take reads a file and stores its report. An error comes from the store: the file is read again.
func (w *Watcher) take(ctx context.Context, f reports.File, in place) (seen, error) {
	r, data, err := f.Read()
	if err != nil {
		return seen{file: f, about: "not readable"}, nil // an incomplete file will change
	}
	if r.Kind == crash.Crash && r.Form == crash.FormIPS && r.Body == nil && len(r.Fields) == 0 && !w.late(f) {
		return seen{file: f, half: true, about: "not whole"}, nil
	}
	if _, kept := levels[string(r.Kind)]; !kept {
		return seen{file: f, about: r.About()}, nil
	}
	in.news = in.news || !f.Time.Before(w.began.Add(-grain))
	for i, one := range append([]*crash.Report{r}, r.More...) {
		c := of(one, f, data)
		c.UDID = cmp.Or(in.udid, c.UDID)
		if i > 0 { // of a file with several payloads
			c.ID = fmt.Sprintf("%s-%d", c.ID, i)
		}
		if err := w.keep(ctx, c, in.news); err != nil {
			return seen{}, err
		}
	}
	return seen{file: f}, nil
}

// keep stores a report. A report that the store has is only updated, and a report from before this watcher is not announced.
func (w *Watcher) keep(ctx context.Context, c Crash, news bool) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	old, _, err := w.o.Store.Documents(ctx, telemetry.DocumentQuery{Kind: Kind, ID: c.ID, Limit: 1})
	if err != nil {
		return err
	}
	err = w.o.Store.Keep(ctx, telemetry.Document{Kind: Kind, ID: c.ID, Time: c.Time, Device: c.UDID, App: c.Bundle, Group: c.Group,
		Body: body})
	if err != nil || len(old) > 0 || !news {
		return err
	}
	w.source().Add(c.entry())
	if c.Kind != string(crash.Crash) || w.o.Hook == nil {
		return nil
	}
	kept, _, err := w.o.Store.Documents(ctx, telemetry.DocumentQuery{Kind: Kind, ID: c.ID, Limit: 1})
	if err == nil && len(kept) > 0 { // the stored copy has no secrets
		w.o.Hook.Tell(kept[0].Body, w.source())
	}
	return err
}

// source is the watcher's source of entries. It exists once the watcher has added an entry.
func (w *Watcher) source() *telemetry.Feed {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.feed == nil {
		w.feed = w.o.Store.Open(telemetry.State{ID: "crash", Type: "crash_reporter", Source: telemetry.Crash, Status: "watching"})
	}
	return w.feed
}

// Skipped counts the files that are not documents, by reason.
func (w *Watcher) Skipped() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[string]int{}
	for _, s := range w.seen {
		if s.about != "" {
			out[s.about]++
		}
	}
	return out
}
