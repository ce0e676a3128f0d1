package hugetree

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

// Leaver is the context of a caller who leaves in the middle of something: when it is asked for the tenth time whether the caller is still
// there, counted from the moment that Arm says.
type Leaver struct {
	context.Context
	leave context.CancelFunc
	armed atomic.Bool
	asked atomic.Int64
}

// leavesAt is the question at which the caller leaves.
const leavesAt = 10

// NewLeaver makes a context that ends with the test at the latest.
func NewLeaver(t *testing.T) *Leaver {
	l := &Leaver{}
	l.Context, l.leave = context.WithCancel(t.Context())
	t.Cleanup(l.leave)
	return l
}

// Arm begins to count.
func (l *Leaver) Arm() { l.armed.Store(true) }

// Err says whether the caller has left.
func (l *Leaver) Err() error {
	if l.armed.Load() && l.asked.Add(1) == leavesAt {
		l.leave()
	}
	return l.Context.Err()
}

// EndWithTheirCaller are looks at a huge tree for somebody who leaves: while it is worked on, and while it comes in. They must end as
// cancelled, and do nothing more once they have heard of it. After each the next look is served.
func EndWithTheirCaller(t *testing.T, eyes device.Eyes, f *Front, next func()) {
	t.Helper()
	l := NewLeaver(t)
	f.Show(Sizes[0])
	tree := *f.tree.Load()
	f.With(func(w http.ResponseWriter, _ *http.Request) {
		f.Write(w, tree)
		l.Arm()
	})
	l.EndsALook(t, eyes)
	f.Calm()
	next()
	ctx, leave := context.WithCancel(t.Context())
	hungUp := make(chan struct{})
	f.With(func(w http.ResponseWriter, r *http.Request) {
		f.Begin(w)
		Put(w, string(tree[:1<<20]))
		leave()
		<-r.Context().Done() // the rest is never sent, and the look ends all the same
		close(hungUp)
	})
	_, err := eyes.Observe(ctx, device.Wait{})
	IsCancelled(t, err)
	<-hungUp
	f.Calm()
	next()
}

// EndsALook looks for the caller, whom a device must arm.
func (l *Leaver) EndsALook(t *testing.T, eyes device.Eyes) {
	t.Helper()
	_, err := eyes.Observe(l, device.Wait{})
	IsCancelled(t, err)
	const enough = leavesAt + 5 // those on the way back to the caller ask too
	if asked := l.asked.Load(); asked < leavesAt || asked > enough {
		t.Errorf("got %d questions whether the caller is there, want %d to %d", asked, leavesAt, enough)
	}
}

// IsCancelled fails unless an error says that the caller left.
func IsCancelled(t *testing.T, err error) {
	t.Helper()
	if err == nil || !errors.Is(err, context.Canceled) || fault.From(err).Code != fault.Cancelled {
		t.Errorf("got %v, want the fault of a caller who left", err)
	}
}
