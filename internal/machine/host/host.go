// Package host runs programs on this machine and controls them: every child has a process group, bounded output and an entry on disk. A
// Host runs a Cmd to its end within a time limit (Run), or starts a Process (Start). Its registry records each child, so that the next
// daemon can find and end (Reap) the children of a killed daemon. With Record it writes transcripts of programs, with Replay it answers
// from them. No other package may import os/exec, and this package must not know what the programs do.
package host

import (
	"context"
	"errors"
	"sync"

	"ios-agent/internal/fault/mask"
)

// ErrClosed is the error of Run and Start after Close.
var ErrClosed = errors.New("host is closed")

// Options configure a Host; the zero value runs programs without a registry.
type Options struct {
	Dir string // registry folder, made with mode 0700; empty means children are not registered

	// Record is a folder, made with mode 0700, that gets a transcript of every Run and Start. The transcripts omit secrets that can be
	// recognized, and contain everything else that programs print.
	Record string
	// Secrets are hidden in transcripts too, including secrets that become known while a program runs.
	Secrets *mask.Set
	// Replay is a folder of transcripts. The host then executes no program: Run and Start answer from the transcripts at once. Arguments
	// select the transcript (invocationkey.go); equal invocations are answered in recorded order, each transcript once; an unknown
	// invocation is a *NotRecordedError.
	Replay string
	// RepeatLast makes the last of equal invocations answer all further ones, for programs that are polled.
	RepeatLast bool
	// Inherit names variables of this process's environment that programs get besides the usual ones (environ.go); a name that ends in * is
	// a prefix.
	Inherit []string
	// Inside returns a program as a function of this process, by Cmd.Name; nil for a program that does not exist. With it the host executes
	// no program: tests mount Virtual Xcode's tools here.
	Inside func(name string) Main
}

// Host starts programs and keeps track of the running ones. It is safe for concurrent use.
type Host struct {
	registry    registry
	spawner     spawner
	transcripts *transcriptFolder // nil without Options.Record
	inherit     []string

	mu     sync.Mutex
	closed bool
	live   map[*Process]struct{}
}

// New makes the folders and a Host that uses them. It leaves the children of dead owners alone: see Reap.
func New(o Options) (*Host, error) {
	h := &Host{live: map[*Process]struct{}{}, inherit: o.Inherit}
	var err error
	if h.registry, err = openRegistry(o.Dir); err != nil {
		return nil, err
	}
	if h.transcripts, err = openTranscriptFolder(o.Record, o.Secrets); err != nil {
		return nil, err
	}
	h.spawner = system{h.registry}
	if o.Replay != "" {
		if h.spawner, err = openReplay(o.Replay, o.RepeatLast); err != nil {
			return nil, err
		}
	}
	if o.Inside != nil {
		h.spawner = &inside{find: o.Inside}
	}
	return h, nil
}

// Close stops every child of this host, waits for them, and makes Run and Start refuse new ones. Its error includes failures to write
// transcripts.
func (h *Host) Close() error {
	h.mu.Lock()
	h.closed = true
	var all []*Process
	for p := range h.live {
		all = append(all, p)
	}
	h.mu.Unlock()

	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, p := range all {
		wg.Go(func() { errs[i] = p.Stop(context.Background()) })
	}
	wg.Wait()
	return errors.Join(append(errs, h.transcripts.failure())...)
}

// adopt adds a started child to the live ones; it refuses when Close came between the check and the start.
func (h *Host) adopt(p *Process) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	h.live[p] = struct{}{}
	return nil
}

func (h *Host) forget(p *Process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.live, p)
}

func (h *Host) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}
