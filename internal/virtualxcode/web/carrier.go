package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode/urlsession"
)

// Carrier is a Sender whose requests come from processes as those of a simulator's apps do: below a launchd_sim, whose command line
// names the device, a process whose program lies in the app's folder. Whoever serves them can find out which app it was. The
// processes begin with the first request and end when there was none for a while, with Close, or when we die: their input ends.
type Carrier struct {
	host *host.Host
	init string   // the name under which our program is launchd_sim
	args []string // that make it one; the bootstrap file of the device follows

	mu      sync.Mutex
	devices map[string]*carried // by data folder
	closed  bool
}

var _ urlsession.Sender = (*Carrier)(nil)

// idle is how long the processes of a device stay without a request.
const idle = 10 * time.Second

// NewCarrier makes a carrier. init is a link to our program with the name launchd_sim, args are those of Init.
func NewCarrier(init string, args []string) (*Carrier, error) {
	h, err := host.New(host.Options{})
	return &Carrier{host: h, init: init, args: args, devices: map[string]*carried{}}, err
}

// carried is the launchd_sim of a device.
type carried struct {
	process *host.Process
	stdin   io.Closer
	lines   *lines
	timer   *time.Timer

	mu      sync.Mutex
	last    int
	waiting map[int]chan told
}

// Fetch lets the app's process send a request. When there can be none, it is sent from here.
func (c *Carrier) Fetch(ctx context.Context, r urlsession.Request) (urlsession.Response, error) {
	d, id, answer := c.expect(ctx, r)
	if d == nil {
		return Web{}.Fetch(ctx, r)
	}
	defer d.forget(id)
	if err := d.lines.write(asked{ID: id, Program: r.From.Program, Request: r}); err != nil {
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
		_ = d.lines.write(asked{ID: id, Program: r.From.Program, Cancel: true})
		return urlsession.Response{}, ctx.Err()
	}
}

// expect notes that an answer is waited for; nil when the request is not to be carried.
func (c *Carrier) expect(ctx context.Context, r urlsession.Request) (*carried, int, chan told) {
	if r.From.Program == "" || r.From.Data == "" {
		return nil, 0, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.devices[r.From.Data]
	if d != nil {
		select {
		case <-d.process.Done(): // somebody killed it
			d = nil
		default:
		}
	}
	if d == nil && !c.closed {
		d = c.start(ctx, r.From.Data)
	}
	if d == nil {
		return nil, 0, nil
	}
	d.timer.Reset(idle)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	answer := make(chan told, 1)
	d.waiting[d.last] = answer
	return d, d.last, answer
}

// start starts the launchd_sim of a device. The caller holds the lock: a second request waits for the process that it will use.
func (c *Carrier) start(ctx context.Context, data string) *carried {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer theirs.Close()
	d := &carried{stdin: ours, lines: &lines{out: ours}, waiting: map[int]chan told{}}
	args := append(append([]string{}, c.args...), filepath.Join(data, "var", "run", "launchd_bootstrap.plist"))
	d.process, err = c.host.Start(ctx, host.Cmd{Name: c.init, Args: args, Stdin: theirs, EndByStdin: true, OnLine: d.hear})
	if err != nil {
		ours.Close()
		return nil
	}
	d.timer = time.AfterFunc(idle, func() { c.rest(data, d) })
	c.devices[data] = d
	return d
}

// rest ends the processes of a device that sent nothing for a while.
func (c *Carrier) rest(data string, d *carried) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d.mu.Lock()
	busy := len(d.waiting) > 0
	d.mu.Unlock()
	if busy {
		d.timer.Reset(idle)
		return
	}
	if c.devices[data] == d {
		delete(c.devices, data)
	}
	d.stdin.Close()
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
		d.timer.Stop()
		d.stdin.Close()
		<-d.process.Done()
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
