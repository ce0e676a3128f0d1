package world

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"
)

// Output are the files that a launched app prints to; empty: none.
type Output struct{ Stdout, Stderr string }

// maxConsole is the number of pieces of an app's output kept for later readers.
const maxConsole = 1000

// console is the output of a running app. The Store does not keep it.
type console struct {
	first  int // number of the oldest kept piece
	pieces []piece
}

type piece struct {
	text   string
	stderr bool
}

// maxConsoles is the number of ended apps whose output is kept for readers.
const maxConsoles = 16

// prune drops the oldest consoles of ended apps.
func (d *device) prune() {
	for _, pid := range slices.Sorted(maps.Keys(d.consoles)) {
		ended := !slices.ContainsFunc(d.Running, func(p *process) bool { return p.PID == pid })
		if ended && len(d.consoles) > maxConsoles {
			delete(d.consoles, pid)
		}
	}
}

// print adds to an app's standard output or error. The caller holds the lock.
func (d *device) print(bundle, text string, stderr bool) error {
	p := d.process(bundle)
	if p == nil {
		return nothingToTerminate(bundle)
	}
	c := d.consoles[p.PID]
	if c == nil {
		c = &console{}
		d.consoles[p.PID] = c
		d.prune()
	}
	c.pieces = append(c.pieces, piece{text, stderr})
	if extra := len(c.pieces) - maxConsole; extra > 0 {
		c.first, c.pieces = c.first+extra, c.pieces[extra:]
	}
	d.tell()
	return d.Outputs[bundle].write(text, stderr)
}

func (o Output) write(text string, stderr bool) error {
	name := o.Stdout
	if stderr {
		name = o.Stderr
	}
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("output of an app: %w", err)
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// create truncates or creates the files.
func (o Output) create() error {
	for _, name := range []string{o.Stdout, o.Stderr} {
		if name == "" {
			continue
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			return fmt.Errorf("output of an app: %w", err)
		}
	}
	return nil
}

// Print adds to the standard output or error of a running app.
func (w *World) Print(udid, bundle, text string, stderr bool) error {
	return w.actNow(context.Background(), udid, func(d *device, _ time.Time) error { return d.print(bundle, text, stderr) })
}

// Attach copies the output of a process, from its start on. It returns nil when the process ends and ctx's error when ctx ends, in both
// cases after it has copied the output so far.
func (w *World) Attach(ctx context.Context, udid string, pid int, stdout, stderr io.Writer) error {
	var over error
	for next := 0; ; {
		pieces, end, alive, more := w.printed(udid, pid, next)
		for _, p := range pieces {
			to := stdout
			if p.stderr {
				to = stderr
			}
			if _, err := io.WriteString(to, p.text); err != nil {
				return err
			}
		}
		next = end
		if !alive || over != nil {
			return over
		}
		over = w.Await(ctx, more)
	}
}

// lookAgain is how long a follower of a device waits before it runs the apps' due actions.
const lookAgain = 100 * time.Millisecond

// Await waits for a change of a device, at most lookAgain, because apps run their due actions only when a caller asks.
func (w *World) Await(ctx context.Context, news <-chan struct{}) error {
	ctx2, cancel := context.WithTimeout(ctx, lookAgain) // real time, because the world's time may stand still
	defer cancel()
	_ = wait(ctx2, news)
	return ctx.Err()
}

// attend runs the due actions of d's apps and saves their output. The caller holds the lock.
func (w *World) attend(d *device) error {
	w.catchUp(d, w.clock.Now())
	return w.saveIfDirty(d)
}

// printed returns the output of a process from a piece on, the number of the next piece, and whether the process runs.
func (w *World) printed(udid string, pid, from int) (pieces []piece, next int, alive bool, more <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return nil, from, false, nil
	}
	_ = w.attend(d) // after a failure of the Store, the next change of the device returns the error
	for _, p := range d.Running {
		alive = alive || p.PID == pid
	}
	c := d.consoles[pid]
	if c == nil {
		return nil, from, alive, d.news
	}
	next = c.first + len(c.pieces)
	return append(pieces, c.pieces[min(max(from-c.first, 0), len(c.pieces)):]...), next, alive, d.news
}
