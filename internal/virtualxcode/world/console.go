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

// Output is the files that a launched app prints to; empty: none.
type Output struct{ Stdout, Stderr string }

// maxConsole is how many pieces of an app's output are kept for a reader that attaches later.
const maxConsole = 1000

// console is what a running app has printed. It is not kept in the Store.
type console struct {
	first  int // number of the first piece that is left
	pieces []piece
}

type piece struct {
	text   string
	stderr bool
}

// maxConsoles is how many consoles of ended apps are kept for readers that have not read everything.
const maxConsoles = 16

// prune forgets the oldest consoles of apps that have ended.
func (d *device) prune() {
	for _, pid := range slices.Sorted(maps.Keys(d.consoles)) {
		ended := !slices.ContainsFunc(d.Running, func(p *process) bool { return p.PID == pid })
		if ended && len(d.consoles) > maxConsoles {
			delete(d.consoles, pid)
		}
	}
}

// print is what an app writes to its standard output or error. The caller holds the lock.
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

// create makes the files empty.
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

// Print is what a running app writes to its standard output or error.
func (w *World) Print(udid, bundle, text string, stderr bool) error {
	return w.actNow(context.Background(), udid, func(d *device, _ time.Time) error { return d.print(bundle, text, stderr) })
}

// Attach copies what a process has printed and prints. It returns nil when the process ends and ctx's error when ctx ends;
// what was printed until then is copied in both cases.
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

// lookAgain is how long a follower of a device waits before it lets the apps do what is due.
const lookAgain = 100 * time.Millisecond

// Await waits for news of a device, but not longer than lookAgain: apps do what is due only when someone looks at them.
func (w *World) Await(ctx context.Context, news <-chan struct{}) error {
	ctx2, cancel := context.WithTimeout(ctx, lookAgain) // real time: the world's may stand still
	defer cancel()
	_ = wait(ctx2, news)
	return ctx.Err()
}

// attend lets the apps of d do what is due, and keeps what they said. The caller holds the lock.
func (w *World) attend(d *device) error {
	w.catchUp(d, w.clock.Now())
	return w.saveIfDirty(d)
}

// printed is what a process printed from a piece on, the number of the next one, and whether it still runs.
func (w *World) printed(udid string, pid, from int) (pieces []piece, next int, alive bool, more <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return nil, from, false, nil
	}
	_ = w.attend(d) // when the Store fails, the next caller that changes the device is told
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
