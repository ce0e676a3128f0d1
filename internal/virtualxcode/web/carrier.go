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

// Carrier is a Sender with processes like the ones of a simulator's apps. A launchd_sim, whose command line names the device, has a
// child whose program lies in the app's folder, so a server can find out which app sent a request. The processes start with the first
// request. They end after an idle time, with Close, or when this process dies, because then their input ends.
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

// CarrierOptions configure the processes.
type CarrierOptions struct {
	Binary string   // our program
	Dir    string   // the folder for a link to Program with the name launchd_sim
	Args   []string // arguments of an app's sender (Send); with a device's bootstrap file after them, of its launchd_sim (Init)
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
	process *host.Process // nil: the start failed
	stdin   io.Closer
	lines   *lines
	timer   *time.Timer

	started chan struct{} // closed when the start has succeeded or failed

	mu      sync.Mutex
	last    int
	waiting map[int]chan told
}

// Fetch sends a request from the app's process. Without such a process this process sends it.
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

// program is the link in the app's folder under which our program runs as the app.
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
	_ = os.Remove(path) // a link of another version
	if err := os.Symlink(binary, path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil // a concurrent request of the app made it
}

// attempts is the maximum number of starts of a launchd_sim that ends at once.
const attempts = 3

// expect returns the launchd_sim of a device, and starts it if it does not run. It also counts a pending answer, so that the process
// does not end as idle. It returns nil if the process cannot be started.
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

// device returns the launchd_sim of a device, which may not be started yet; nil after Close.
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

// ended reports whether the process of a device has ended or failed to start.
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
	case <-d.process.Done(): // it was killed, or it was idle
		return true
	default:
		return false
	}
}

// expect counts a pending answer.
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

// rest ends the processes of a device after an idle time.
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

// end closes the input of a launchd_sim, which ends it and its children.
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
		answer <- a // the channel has room for the one answer
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

// Init is the launchd_sim of a device. It starts the process of each app that sends a request, and passes requests and answers on until
// in ends. args make an app's program a sender.
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

// passing is one line on its way to an app's process.
type passing struct {
	asked
	line []byte
	args []string
}

// pass gives a line to the process of its app, and starts the process if it does not run.
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
			_ = answers.raw(append([]byte{}, line...)) // without a reader our input has ended too
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
