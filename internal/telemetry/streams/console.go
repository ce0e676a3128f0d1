package streams

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/telemetry"
)

const (
	lookAgain  = time.Second         // interval of reads without a request
	oldConsole = 24 * time.Hour      // older files are removed
	outSuffix  = "-stdout.log"       // suffixes of the files
	errSuffix  = "-stderr.log"       //
	readSuffix = ".read"             //
	stamp      = "20060102T150405.0" // part of their names
)

// Output is the two files for the output of a launched app.
type Output struct {
	Stdout, Stderr string
	ours           bool // the files are in the manager's folder, which may empty and remove them
}

// NewOutput makes two empty files for an app's output. Only their owner can read them. The app continues to write to them after the end
// of this process.
func (m *Manager) NewOutput(owner device.Owner, app string) (Output, error) {
	if err := os.MkdirAll(m.o.Dir, 0o700); err != nil {
		return Output{}, err
	}
	base := filepath.Join(m.o.Dir, name(owner.UDID)+"_"+name(app)+"_"+m.o.Now().UTC().Format(stamp)+rand.Text()[:6])
	out := Output{Stdout: base + outSuffix, Stderr: base + errSuffix, ours: true}
	if err := empty(out.Stdout); err != nil {
		return Output{}, err
	}
	return out, empty(out.Stderr)
}

// empty makes an empty file.
func empty(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// name is a text in a form that is valid in a file name.
func name(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, text[:min(len(text), 100)])
}

// Discard removes the files of a failed launch.
func (o Output) Discard() {
	if o.ours {
		_ = os.Remove(o.Stdout) // a remaining file is removed later
		_ = os.Remove(o.Stderr)
		_ = os.Remove(o.marker())
	}
}

// Tidy limits and removes the files of earlier daemons: apps continue to print after a daemon's end. It is called once, before the
// first stream.
func (m *Manager) Tidy() {
	files, err := os.ReadDir(m.o.Dir)
	if err != nil {
		return // the folder does not exist yet
	}
	m.mu.Lock()
	launches := slices.Clone(m.launches)
	m.mu.Unlock()
	newest := map[string]string{} // by app and device: each launch prints to new files
	for _, f := range files {
		of, base := launchOf(f.Name())
		newest[of] = max(newest[of], base)
	}
	for _, f := range files {
		path := filepath.Join(m.o.Dir, f.Name())
		info, err := f.Info()
		of, base := launchOf(f.Name())
		if err != nil || !info.Mode().IsRegular() || of == "" {
			continue
		}
		dead := newest[of] > base || time.Since(info.ModTime()) > oldConsole
		for _, l := range launches {
			dead = dead || m.o.Gone != nil && l.Stdout == filepath.Join(m.o.Dir, base+outSuffix) && m.o.Gone(l.PID)
		}
		switch {
		case dead:
			_ = os.Remove(path) // otherwise the next daemon tries again
		case info.Size() > mostFile:
			_ = os.Remove(filepath.Join(m.o.Dir, base+readSuffix)) // an incomplete read: the next reader says so
			_ = os.Truncate(path, 0)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.launches = slices.DeleteFunc(m.launches, func(l launch) bool {
		_, err := os.Stat(l.Stdout)
		return err != nil
	})
}

// launchOf splits the name of an output file into the app on its device and the common name of a launch's files. Both are empty for
// other files.
func launchOf(file string) (app, base string) {
	for _, suffix := range []string{outSuffix, errSuffix, readSuffix} {
		if base, is := strings.CutSuffix(file, suffix); is {
			if i := strings.LastIndexByte(base, '_'); i > 0 {
				return base[:i], base
			}
		}
	}
	return "", ""
}

// console is the output of a launched app.
type console struct {
	m     *Manager
	owner device.Owner
	app   string
	pid   int
	feed  *telemetry.Feed

	// The manager's mutex guards the fields below.
	used   time.Time
	asleep bool

	mu      sync.Mutex // held during a read of the files
	outputs []Output
	files   []*tail
	over    bool
}

// Launched is an app that was just launched.
type Launched struct {
	Owner device.Owner
	App   string
	PID   int
	To    Output // the files for its output
	New   bool   // a running instance was ended first; otherwise it may continue with its earlier output files
}

// Printed begins to follow the output of an app.
func (m *Manager) Printed(l Launched) {
	owner, app, pid, to := l.Owner, l.App, l.PID, l.To
	m.mu.Lock()
	same := slices.IndexFunc(m.consoles, func(c *console) bool { return c.owner.UDID == owner.UDID && c.app == app && c.pid == pid })
	if same >= 0 || m.closed {
		if same >= 0 {
			m.consoles[same].owner, m.consoles[same].used, m.consoles[same].asleep = owner, m.o.Now(), false
			m.tick()
		}
		m.mu.Unlock()
		to.Discard()
		return
	}
	before := m.takeConsoles(func(c *console) bool { return c.owner.UDID == owner.UDID && c.app == app })
	m.mu.Unlock()
	for _, old := range before {
		old.finish(removeFiles)
	}
	if l.New || len(before) > 0 {
		m.o.Ended(owner.UDID, app)
	}
	c := m.newConsole(owner, app, pid)
	left, found := m.leftOutput(owner.UDID, app, to)
	if found && l.New {
		left.Discard()
	} else if found {
		c.resume(left)
	}
	c.follow(to)
	m.addConsole(c)
	if to.ours {
		m.launchedTo(to, pid)
	}
}

// launchedTo records the process that prints to files.
func (m *Manager) launchedTo(to Output, pid int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.launches = append(m.launches, launch{to.Stdout, pid})
	m.launches = m.launches[max(0, len(m.launches)-mostNotes):]
	m.note()
}

// resumePrinted follows an app's output again, if its files still exist. It reports whether they do and had no reader.
func (m *Manager) resumePrinted(owner device.Owner, app string) bool {
	m.mu.Lock()
	known := slices.ContainsFunc(m.consoles, func(c *console) bool { return c.owner.UDID == owner.UDID && c.app == app })
	m.mu.Unlock()
	if known {
		return false
	}
	left, found := m.leftOutput(owner.UDID, app, Output{})
	if !found {
		return false
	}
	c := m.newConsole(owner, app, 0)
	c.resume(left)
	m.addConsole(c)
	return true
}

// resume continues with the files of an earlier console.
func (c *console) resume(left Output) {
	tails := c.follow(left)
	if os.Remove(left.marker()) == nil {
		return
	}
	for _, f := range tails { // the earlier reader could not record its position
		f.toEnd()
	}
	c.feed.Lose(0, "the daemon stopped while the app ran")
}

// marker is the file that marks the output as completely read.
func (o Output) marker() string { return strings.TrimSuffix(o.Stdout, outSuffix) + readSuffix }

// leftOutput finds the newest other files of an app.
func (m *Manager) leftOutput(udid, app string, but Output) (Output, bool) {
	found, err := filepath.Glob(filepath.Join(regularfile.Pattern(m.o.Dir), name(udid)+"_"+name(app)+"_*"+outSuffix))
	found = slices.DeleteFunc(found, func(path string) bool { return path == but.Stdout })
	if err != nil || len(found) == 0 {
		return Output{}, false
	}
	newest := slices.Max(found)
	return Output{Stdout: newest, Stderr: strings.TrimSuffix(newest, outSuffix) + errSuffix, ours: true}, true
}

func (m *Manager) newConsole(owner device.Owner, app string, pid int) *console {
	c := &console{m: m, owner: owner, app: app, pid: pid, used: m.o.Now()}
	id := fmt.Sprintf("console-%s-%s", owner.UDID[:min(8, len(owner.UDID))], app)
	if pid > 0 {
		id += fmt.Sprintf("-%d", pid)
	}
	c.feed = m.o.Store.Open(telemetry.State{
		ID: id, Type: "console", Source: telemetry.Console, Device: owner.UDID, App: app, Session: owner.Session, Status: "streaming",
		Started: c.used,
	})
	return c
}

// follow adds files to the console.
func (c *console) follow(o Output) []*tail {
	tails := []*tail{
		{path: o.Stdout, level: telemetry.Info, ours: o.ours}, {path: o.Stderr, level: telemetry.Notice, ours: o.ours, nslog: true},
	}
	c.outputs, c.files = append(c.outputs, o), append(c.files, tails...)
	return tails
}

// addConsole starts to read a console.
func (m *Manager) addConsole(c *console) {
	m.mu.Lock()
	closed := m.closed
	if !closed {
		m.consoles = append(m.consoles, c)
		m.schedule()
		m.tick()
	}
	m.mu.Unlock()
	if closed {
		c.finish(keepFiles)
	}
}

// Ended records the end of an app: the rest of its output is read and its files are removed.
func (m *Manager) Ended(udid, app string) {
	m.mu.Lock()
	over := m.takeConsoles(func(c *console) bool { return c.owner.UDID == udid && c.app == app })
	m.mu.Unlock()
	for _, c := range over {
		c.finish(removeFiles)
	}
	m.o.Ended(udid, app)
}

// Off records that a device is off or deleted: its apps have ended.
func (m *Manager) Off(udid string) {
	m.mu.Lock()
	over := m.takeConsoles(func(c *console) bool { return c.owner.UDID == udid })
	m.mu.Unlock()
	for _, c := range over {
		c.finish(removeFiles)
	}
	m.o.Ended(udid, "")
}

// Printing lists the devices of the followed consoles.
func (m *Manager) Printing() (udids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.consoles {
		if !slices.Contains(udids, c.owner.UDID) {
			udids = append(udids, c.owner.UDID)
		}
	}
	return udids
}

// takeConsoles removes consoles from the manager for the caller to finish. It needs the mutex.
func (m *Manager) takeConsoles(fits func(*console) bool) (taken []*console) {
	m.consoles = slices.DeleteFunc(m.consoles, func(c *console) bool {
		if fits(c) {
			taken = append(taken, c)
			return true
		}
		return false
	})
	return taken
}

// tick reads the consoles at intervals while some are awake. It needs the mutex.
func (m *Manager) tick() {
	awake := slices.ContainsFunc(m.consoles, func(c *console) bool { return !c.asleep })
	if m.ticking || m.closed || !awake {
		return
	}
	m.ticking = true
	m.work.Go(func() {
		again := time.NewTicker(lookAgain)
		defer again.Stop()
		for m.readAwake() {
			select {
			case <-again.C:
			case <-m.life.Done():
				return
			}
		}
	})
}

// readAwake reads the awake consoles; false if all sleep.
func (m *Manager) readAwake() bool {
	m.mu.Lock()
	awake := slices.DeleteFunc(slices.Clone(m.consoles), func(c *console) bool { return c.asleep })
	m.ticking = len(awake) > 0
	m.mu.Unlock()
	for _, c := range awake {
		c.read()
	}
	return len(awake) > 0
}

// read reads the new output.
func (c *console) read() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	for _, f := range c.files {
		f.read(c)
	}
}

type after bool

const (
	removeFiles after = false
	keepFiles   after = true // the app may still write to them
)

// finish reads the rest and ends the source.
func (c *console) finish(files after) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	for _, f := range c.files {
		f.read(c)
		f.flush(c)
		if f.ours && files == keepFiles {
			_ = os.Truncate(f.path, 0) // the file was read completely
		}
	}
	for _, o := range c.outputs {
		if files == removeFiles {
			o.Discard()
		} else if o.ours {
			_ = empty(o.marker()) // without it, the next reader begins at the end and says so
		}
	}
	c.over = true
	c.feed.Status("stopped", nil)
	c.feed.Close()
}
