package daemon

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/machine/self"
	"ios-agent/internal/op"
)

// bench is a home with daemons in this process: the same servers, sockets and locks, only no processes.
type bench struct {
	t     *testing.T
	place resident.Place
	busy  chan struct{} // closed to let "work" finish
	began chan string   // says which operation began
	ended chan string   // and how "work" ended
	wg    sync.WaitGroup

	holds func() []string // of every daemon
	idle  time.Duration   // when they leave
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, place: resident.Place{Dir: filepath.Join(t.TempDir(), "run"), Name: "daemon"}, busy: make(chan struct{}),
		began: make(chan string, 10), ended: make(chan string, 10)}
	t.Cleanup(b.wg.Wait)
	return b
}

type nothing struct{}

// catalogue has an operation that answers at once and one that works until it is let go.
func (b *bench) catalogue() *op.Catalogue {
	jobs := &op.Jobs{After: op.JobAfter, Keep: time.Minute}
	spec := func(name string, hints op.Hints, long bool) op.Spec {
		return op.Spec{Name: name, Groups: []string{"test"}, Summary: "Test", Hints: hints, Long: long}
	}
	work := func(ctx context.Context, c *op.Call, _ nothing) (nothing, error) {
		b.began <- "work"
		select {
		case <-b.busy:
			b.ended <- "done"
			return nothing{}, nil
		case <-ctx.Done():
			b.ended <- "cancelled"
			return nothing{}, ctx.Err()
		}
	}
	return op.NewCatalogue(append(jobs.Ops(),
		op.New(spec("quick", op.ReadOnly, false), func(context.Context, *op.Call, nothing) (nothing, error) { return nothing{}, nil }),
		op.New(spec("claim", op.Repeatable, false), func(context.Context, *op.Call, nothing) (nothing, error) { return nothing{}, nil }),
		op.New(spec("work", 0, false), work), op.New(spec("long_work", 0, true), work)),
		op.Options{Jobs: jobs, Toolchain: "virtual", Mark: " [virtual]"})
}

// serve runs a daemon of a build until it leaves; gone is closed then.
func (b *bench) serve(build self.Build) (gone chan struct{}, stop context.CancelFunc) {
	ctx, stop := context.WithCancel(context.Background())
	b.t.Cleanup(stop)
	s := &Server{
		Place: b.place, Build: build, Key: &Key{Path: filepath.Join(b.place.Dir, "key")}, Listen: "127.0.0.1:0",
		Log: slog.New(slog.DiscardHandler), IdleExit: b.idle,
		Open: func(string) (Served, error) {
			return Served{b.catalogue(), http.NotFoundHandler(), b.holds, io.NopCloser(nil)}, nil
		},
	}
	gone = make(chan struct{})
	b.wg.Go(func() {
		defer close(gone)
		if err := s.Run(ctx); err != nil && err != ErrRunning {
			b.t.Error(err)
		}
	})
	return gone, stop
}

// client is one of a build, which starts a daemon of its own build when there is none.
func (b *bench) client(build self.Build) *Client {
	return &Client{Catalogue: b.catalogue(), Place: b.place, Build: build, Toolchain: "virtual", Session: "s",
		Start: func(context.Context) (int, error) {
			b.serve(build)
			return 0, nil
		}}
}

func (b *bench) call(c *Client, name string) op.Envelope {
	return c.Call(b.t.Context(), name, nil, nil)
}

func older() self.Build { return self.Build{ID: "old", Time: time.Unix(1000, 0)} }
func newer() self.Build { return self.Build{ID: "new", Time: time.Unix(2000, 0)} }

// running is the build of the daemon that answers.
func (b *bench) running(c *Client) string {
	s, err := c.Ask(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return s.Build
}

func TestOnlyANewerClientReplacesAnIdleDaemon(t *testing.T) {
	b := newBench(t)
	old, fresh := b.client(older()), b.client(newer())
	if e := b.call(old, "quick"); e.Error != nil || b.running(old) != "old" {
		t.Fatalf("%v", e.Error)
	}
	for b.running(fresh) != "new" { // the call before may still be on its way out, and then the daemon is not idle
		if e := b.call(fresh, "quick"); e.Error != nil {
			t.Fatalf("the newer client: %v", e.Error)
		}
	}
	if e := b.call(old, "quick"); e.Error != nil || b.running(old) != "new" {
		t.Fatalf("the older client must not replace the newer daemon: %v, running %s", e.Error, b.running(old))
	}
}

// TestHoldKeepsIdleDaemonAlive stays when it is idle, as long as it does; it leaves for a newer client, which is told what ended.
func TestHoldKeepsIdleDaemonAlive(t *testing.T) {
	b := newBench(t)
	asked, holds := make(chan struct{}), atomic.Bool{}
	holds.Store(true)
	b.holds = func() []string {
		select {
		case asked <- struct{}{}:
		default:
		}
		if holds.Load() {
			return []string{"the debugger left process 1"}
		}
		return nil
	}
	b.idle = time.Millisecond
	gone, _ := b.serve(older())
	for range 3 {
		<-asked
	}
	old := b.client(older())
	if e := b.call(old, "quick"); e.Error != nil || len(e.Meta.Notices) != 0 || b.running(old) != "old" {
		t.Fatalf("%+v", e)
	}
	fresh, told := b.client(newer()), []op.Notice(nil)
	for b.running(fresh) != "new" { // the call before may still be on its way out
		e := b.call(fresh, "quick")
		if e.Error != nil {
			t.Fatal(e.Error)
		}
		told = e.Meta.Notices
	}
	if len(told) != 1 || !strings.Contains(told[0].Text, "newer one: the debugger left process 1") {
		t.Errorf("%+v", told)
	}
	<-gone
	holds.Store(false) // so that the last one leaves too
}

func TestABusyDaemonIsNotReplaced(t *testing.T) {
	b := newBench(t)
	old, fresh := b.client(older()), b.client(newer())
	done := make(chan op.Envelope, 1)
	go func() { done <- b.call(old, "work") }()
	<-b.began
	if e := b.call(fresh, "quick"); e.Error != nil || b.running(fresh) != "old" {
		t.Errorf("%v, running %s", e.Error, b.running(fresh))
	}
	close(b.busy)
	if e := <-done; e.Error != nil {
		t.Errorf("the work was disturbed: %v", e.Error)
	}
}

func TestLeavingDaemonFinishesRunningCall(t *testing.T) {
	b := newBench(t)
	gone, stop := b.serve(older())
	c := b.client(older())
	done := make(chan op.Envelope, 1)
	go func() { done <- b.call(c, "work") }()
	<-b.began
	stop()
	close(b.busy)
	if e := <-done; e.Error != nil {
		t.Errorf("a call under way was cut off: %v", e.Error)
	}
	<-gone
}

func TestCtrlCEndsTheJob(t *testing.T) {
	b := newBench(t)
	c := b.client(older())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan op.Envelope, 1)
	go func() { done <- c.Call(ctx, "long_work", nil, nil) }()
	<-b.began
	cancel()
	if e := <-done; e.Error == nil || e.Error.Code != fault.Cancelled {
		t.Errorf("%+v", e.Error)
	}
	if how := <-b.ended; how != "cancelled" {
		t.Errorf("the job %s", how)
	}
}

// TestMissingDaemonIsUnreachableFault: nothing was sent, and the fault says so.
func TestMissingDaemonIsUnreachableFault(t *testing.T) {
	b := newBench(t)
	c := b.client(older())
	c.Start = nil
	for name, want := range map[string]fault.Dispatch{"quick": "", "work": fault.NotDispatched} {
		e := b.call(c, name)
		if e.Error == nil || e.Error.Code != fault.DaemonUnreachable || e.Error.Dispatched != want {
			t.Errorf("%s without a daemon: %+v", name, e.Error)
		}
	}
}

// TestDaemonEndReasonIsReported: a daemon that listens and then cannot go on, because of a folder that is not safe for instance, has
// written why. The caller is told.
func TestDaemonEndReasonIsReported(t *testing.T) {
	b := newBench(t)
	l, err := resident.Listen(b.place, resident.Info{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	b.wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	})
	if err := os.WriteFile(b.place.LogPath(), []byte("earlier\nPATH_ERROR: not safe\nhint: rm it\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"quick", "claim"} {
		if e := b.call(b.client(newer()), name); e.Error == nil || !strings.Contains(e.Error.Message, "PATH_ERROR: not safe hint: rm it") {
			t.Errorf("%s: %s", name, e.Text())
		}
	}
}
