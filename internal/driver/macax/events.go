//go:build darwin || macaxfake

package macax

import (
	"context"
	"runtime"
	"sync"
	"time"

	"ios-agent/internal/fault"
)

// notifications are the events that a process should report. An app refuses the ones it does not know and reports the others.
var notifications = []string{
	"AXFocusedUIElementChanged", "AXFocusedWindowChanged", "AXMainWindowChanged", "AXValueChanged", "AXTitleChanged", "AXCreated",
	"AXUIElementDestroyed", "AXWindowCreated", "AXWindowMoved", "AXWindowResized", "AXWindowMiniaturized", "AXWindowDeminiaturized",
	"AXSheetCreated", "AXMenuOpened", "AXMenuClosed", "AXLayoutChanged", "AXSelectedTextChanged", "AXSelectedChildrenChanged",
	"AXSelectedRowsChanged", "AXRowCountChanged", "AXRowExpanded", "AXRowCollapsed", "AXApplicationHidden", "AXApplicationShown",
	"AXLoadComplete", "AXElementBusyChanged",
}

var errClosed = fault.New(fault.AppNotRunning, "the connection to the process is closed").WithHint("open it again")

// events count the events of a process.
type events struct {
	mu    sync.Mutex
	n     uint64
	told  chan struct{} // closed by the next event
	ended bool
}

func newEvents() *events { return &events{told: make(chan struct{})} }

func (e *events) tell(ended bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return
	}
	if e.ended = ended; !ended {
		e.n++
	}
	close(e.told)
	e.told = make(chan struct{})
}

func (e *events) end() { e.tell(true) }

func (e *events) state() (n uint64, told <-chan struct{}, ended bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.n, e.told, e.ended
}

// Events returns the number of events of the process.
func (a *App) Events() uint64 {
	n, _, _ := a.events.state()
	return n
}

// Next waits for more events. Without an observer no event comes, and it waits until ctx ends.
func (a *App) Next(ctx context.Context, after uint64) error {
	for {
		n, told, ended := a.events.state()
		switch {
		case n > after:
			return nil
		case ended:
			return errClosed
		}
		select {
		case <-told:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// hear is called by C, on the thread of an observer. C cannot hold a pointer of Go, so it holds a number.
func (l *library) hear(_, _, _, listener uintptr) {
	l.mu.Lock()
	e := l.listeners[listener]
	l.mu.Unlock()
	if e != nil {
		e.tell(false)
	}
}

func (l *library) listen(e *events) (listener uintptr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	l.listeners[l.last] = e
	return l.last
}

func (l *library) unlisten(listener uintptr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.listeners, listener)
}

// observer is a thread that waits for the events of a process.
type observer struct {
	lib      *library
	root     ref
	pid      int
	listener uintptr

	loop    ref           // of the thread; retained, because stop may come after the end of the thread
	ending  chan struct{} // closed by stop
	stopped chan struct{} // closed when the thread has released everything
}

// mostWatches is the maximum number of attempts to start an observer: a process that has just started may not be ready for one.
const mostWatches = 3

// watch starts to observe the process. On failure, a.observer stays nil: looks still work, and the next look tries again.
func (a *App) watch() {
	if a.watches++; a.watches > mostWatches {
		return
	}
	o := &observer{lib: a.lib, root: a.root, pid: a.pid, ending: make(chan struct{}), stopped: make(chan struct{})}
	o.listener = a.lib.listen(a.events)
	ready := make(chan bool, 1)
	go o.run(ready)
	if <-ready {
		a.observer = o
		return
	}
	<-o.stopped
}

// run is the thread. It never returns to Go's scheduler: it exits with its run loop.
func (o *observer) run(ready chan<- bool) {
	runtime.LockOSThread()
	defer close(o.stopped)
	defer o.lib.unlisten(o.listener)
	l := o.lib
	var object ref
	_ = l.pooled(func() error {
		if l.observerCreate(int32(o.pid), l.heard, &object) != axSuccess {
			object = 0
		}
		return nil
	})
	if object == 0 {
		ready <- false
		return
	}
	defer l.release(object)
	registered := o.register(object)
	defer func() {
		for _, name := range registered {
			if l.observerRemove(object, o.root, l.name(name)) == axCannotComplete {
				break // each of the others would take as long; they end with the observer
			}
		}
	}()
	if len(registered) == 0 {
		ready <- false
		return
	}
	o.loop = l.retain(l.runLoopCurrent())
	source := l.observerSource(object)
	l.runLoopAdd(o.loop, source, l.defaultMode)
	defer l.runLoopRemove(o.loop, source, l.defaultMode)
	ready <- true
	o.wait()
}

// register asks for all notifications, and returns the accepted ones.
func (o *observer) register(object ref) (registered []string) {
	for _, name := range notifications {
		switch o.lib.observerAdd(object, o.root, o.lib.name(name), o.listener) {
		case axSuccess:
			registered = append(registered, name)
		case axCannotComplete, axInvalidElement, axAPIDisabled:
			return registered // each of the others would take as long
		}
	}
	return registered
}

// wait runs the loop until stop, or until the loop has no sources left.
func (o *observer) wait() {
	const (
		atMost   = 10 // seconds
		finished = 1  // kCFRunLoopRunFinished
	)
	for {
		var why int32
		_ = o.lib.pooled(func() error {
			why = o.lib.runLoopRun(o.lib.defaultMode, atMost, false)
			return nil
		})
		select {
		case <-o.ending:
			return
		default:
		}
		if why == finished {
			<-o.ending
			return
		}
	}
}

// stop ends the thread and waits for it. A loop that is not running at that moment loses the stop, so stop repeats it.
func (o *observer) stop() {
	close(o.ending)
	defer o.lib.release(o.loop)
	for {
		o.lib.runLoopStop(o.loop)
		select {
		case <-o.stopped:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}
