package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode/urlsession"
)

// Carrier is a Sender whose requests come from processes as those of a simulator's apps do: below a launchd_sim, whose command line
// names the device, a process whose program lies in the app's folder. Whoever serves them can find out which app it was. The
// processes begin with the first request and end when there was none for a while, with Close, or when we die: their input ends.
type Carrier struct {
	o    CarrierOptions
	host *host.Host

	mu      sync.Mutex
	devices map[string]*carried // by data folder
	closed  bool
}

var _ urlsession.Sender = (*Carrier)(nil)

// idle is how long the processes of a device stay without a request.
const idle = 10 * time.Second

// CarrierOptions say what the processes are.
type CarrierOptions struct {
	Binary string   // our program
	Dir    string   // gets a link to it with the name launchd_sim
	Args   []string // make it one that sends (Send); with a file of a device behind them, the launchd_sim of that device (Init)
}

const initName = "launchd_sim"

// NewCarrier makes a carrier. Close ends it.
func NewCarrier(o CarrierOptions) (*Carrier, error) {
	h, err := host.New(host.Options{})
	if err != nil {
		return nil, err
	}
	return &Carrier{o: o, host: h, devices: map[string]*carried{}}, nil
}

// carried is the launchd_sim of a device.
type carried struct {
	begin   sync.Once
	process *host.Process // nil: it could not be started
	stdin   io.Closer
	lines   *lines
	timer   *time.Timer

	started chan struct{} // closed when it is known whether there is a process

	mu      sync.Mutex
	last    int
	waiting map[int]chan told
}

// Fetch lets the app's process send a request. When there can be none, it is sent from here.
func (c *Carrier) Fetch(ctx context.Context, r urlsession.Request) (urlsession.Response, error) {
	program, err := c.program(r.From)
	if err != nil || program == "" {
		return Web{}.Fetch(ctx, r)
	}
	d, id, answer := c.expect(ctx, r.From.Data)
	if d == nil {
		return Web{}.Fetch(ctx, r)
	}
	defer d.forget(id)
	r.From.Program = program
	if err := d.lines.write(asked{ID: id, Program: program, Request: r}); err != nil {
		return urlsession.Response{}, &urlsession.Error{Code: urlsession.ConnectionLost}
	}
	select {
	case a := <-answer:
		if a.Code != 0 {
			return a.Response, &urlsession.Error{Code: a.Code}
		}
		return a.Response, nil
	case <-d.process.Done():
		return urlsession.Response{}, &urlsession.Error{Code: urlsession.ConnectionLost}
	case <-ctx.Done():
		_ = d.lines.write(asked{ID: id, Program: program, Cancel: true})
		return urlsession.Response{}, ctx.Err()
	}
}

// program is the name under which our program is an app: a link in the app's folder.
func (c *Carrier) program(from urlsession.Source) (string, error) {
	if from.Program == "" || from.Data == "" {
		return "", nil
	}
	path := filepath.Join(filepath.Dir(from.Program), ".run", filepath.Base(from.Program))
	return path, linkTo(c.o.Binary, path)
}

func linkTo(binary, path string) error {
	if now, err := os.Readlink(path); err == nil && now == binary {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	_ = os.Remove(path) // of another version
	if err := os.Symlink(binary, path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil // another request of the app made it
}

// attempts is how often a launchd_sim is started that ends again at once.
const attempts = 3

// expect gives the launchd_sim of a device, which is started if it does not run, and notes that an answer of it is waited for: from
// then on it does not rest. It is nil if there can be none.
func (c *Carrier) expect(ctx context.Context, data string) (d *carried, id int, answer chan told) {
	for range attempts {
		if d = c.device(data); d == nil {
			return nil, 0, nil
		}
		d.begin.Do(func() {
			defer close(d.started)
			d.timer = time.AfterFunc(idle, func() { c.rest(data, d) })
			c.start(context.WithoutCancel(ctx), d, data)
		})
		c.mu.Lock()
		if c.devices[data] == d && !d.ended() {
			id, answer = d.expect()
		}
		c.mu.Unlock()
		if answer != nil {
			d.timer.Reset(idle)
			return d, id, answer
		}
	}
	return nil, 0, nil
}

// device is the launchd_sim of a device, perhaps one that is not started yet; nil after Close.
func (c *Carrier) device(data string) *carried {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	d := c.devices[data]
	if d == nil || d.ended() {
		d = &carried{waiting: map[int]chan told{}, started: make(chan struct{})}
		c.devices[data] = d
	}
	return d
}

// ended reports whether the process of a device was started and is gone, or could not be.
func (d *carried) ended() bool {
	select {
	case <-d.started:
	default:
		return false
	}
	if d.process == nil {
		return true
	}
	select {
	case <-d.process.Done(): // somebody killed it, or it was idle
		return true
	default:
		return false
	}
}

// expect notes that an answer is waited for.
func (d *carried) expect() (int, chan told) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	answer := make(chan told, 1)
	d.waiting[d.last] = answer
	return d.last, answer
}

// start starts the launchd_sim of a device.
func (c *Carrier) start(ctx context.Context, d *carried, data string) {
	init := filepath.Join(c.o.Dir, initName)
	theirs, ours, err := os.Pipe()
	if err != nil {
		return
	}
	defer theirs.Close()
	d.stdin, d.lines = ours, &lines{out: ours}
	args := append(slices.Clone(c.o.Args), filepath.Join(data, "var", "run", "launchd_bootstrap.plist"))
	if err = linkTo(c.o.Binary, init); err == nil {
		d.process, err = c.host.Start(ctx, host.Cmd{Name: init, Args: args, Stdin: theirs, EndByStdin: true, OnLine: d.hear})
	}
	if err != nil {
		d.process = nil
		ours.Close()
	}
}

// rest ends the processes of a device that sent nothing for a while.
func (c *Carrier) rest(data string, d *carried) {
	c.mu.Lock()
	d.mu.Lock()
	busy := len(d.waiting) > 0
	d.mu.Unlock()
	if !busy && c.devices[data] == d {
		delete(c.devices, data)
	}
	c.mu.Unlock()
	if busy {
		d.timer.Reset(idle)
		return
	}
	d.end()
}

// end ends the input of a launchd_sim, and with it all its processes.
func (d *carried) end() {
	<-d.started
	d.timer.Stop()
	if d.process != nil {
		d.stdin.Close()
		<-d.process.Done()
	}
}

func (d *carried) forget(id int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.waiting, id)
}

func (d *carried) hear(s host.Stream, line []byte) {
	var a told
	if s != host.Stdout || json.Unmarshal(line, &a) != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if answer := d.waiting[a.ID]; answer != nil {
		answer <- a // it has room for the one answer
		delete(d.waiting, a.ID)
	}
}

// Close ends all processes and waits for them.
func (c *Carrier) Close() error {
	c.mu.Lock()
	c.closed = true
	all := c.devices
	c.devices = map[string]*carried{}
	c.mu.Unlock()
	for _, d := range all {
		d.end()
	}
	return c.host.Close()
}

// Init is the launchd_sim of a device: it starts the process of each app that is to send something, and passes on what is asked and
// answered, until in ends. args make an app's program one that sends.
func Init(ctx context.Context, in io.Reader, out io.Writer, args []string) error {
	h, err := host.New(host.Options{})
	if err != nil {
		return err
	}
	answers := &lines{out: out}
	apps := map[string]*os.File{}
	defer h.Close() // after their inputs ended
	defer func() {
		for _, stdin := range apps {
			stdin.Close()
		}
	}()
	read := bufio.NewReader(in)
	for {
		line, err := read.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		var q asked
		if err == nil {
			err = json.Unmarshal(line, &q)
		}
		if err != nil {
			return err
		}
		if err := pass(ctx, h, apps, answers, passing{q, line, args}); err != nil && !q.Cancel {
			_ = answers.write(told{ID: q.ID, Code: urlsession.ConnectionLost})
		}
	}
}

// passing is one line to be passed on.
type passing struct {
	asked
	line []byte
	args []string
}

// pass gives a line to the process of its app, which is started if it does not run.
func pass(ctx context.Context, h *host.Host, apps map[string]*os.File, answers *lines, p passing) error {
	if stdin := apps[p.Program]; stdin != nil {
		if _, err := stdin.Write(p.line); err == nil || p.Cancel {
			return err
		}
		stdin.Close() // it ended
		delete(apps, p.Program)
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirs.Close()
	_, err = h.Start(ctx, host.Cmd{Name: p.Program, Args: p.args, Stdin: theirs, EndByStdin: true, OnLine: func(s host.Stream, line []byte) {
		if s == host.Stdout {
			_ = answers.raw(append([]byte{}, line...)) // when nobody reads, our input has ended too
		}
	}})
	if err != nil {
		ours.Close()
		return err
	}
	apps[p.Program] = ours
	_, err = ours.Write(p.line)
	return err
}
