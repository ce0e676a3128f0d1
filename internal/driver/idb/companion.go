package idb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// companion is a companion in use.
type companion struct {
	*client
	at    string
	since time.Time

	process *host.Process // nil: the driver did not start it
	dir     string        // the folder of its socket

	mu     sync.Mutex
	reads  idbwire.Backend // reads its trees: the best reader of the companion
	worked bool            // it has read a tree
}

// backend returns the reader of the trees, and whether it has read one.
func (c *companion) backend() (by idbwire.Backend, worked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads, c.worked
}

// reading stores the reader that has read a tree.
func (c *companion) reading(by idbwire.Backend) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads, c.worked = by, true
}

// installed asks the program for its build date.
func (d *Driver) installed(ctx context.Context) (string, error) {
	if d.opts.Host == nil {
		return "", unreachable("", errors.New("this machine cannot start a companion"))
	}
	r, err := d.opts.Host.Run(ctx, host.Cmd{Name: d.program(), Args: []string{"--version"}})
	if err != nil {
		return "", unreachable("", notThere(err))
	}
	var built struct {
		Date string `json:"build_date"`
		Time string `json:"build_time"`
	}
	_ = json.Unmarshal(r.Stdout, &built) // another version may print it differently
	if built.Date == "" {
		return "idb_companion is installed; it is started on a simulator when it is needed", nil
	}
	return fmt.Sprintf("idb_companion, built %s %s; it is started on a simulator when it is needed", built.Date, built.Time), nil
}

func (d *Driver) program() string { return d.opts.Tools.Tool(Program) }

// notThere is the error of a missing program, without the places that were searched.
func notThere(err error) error {
	if _, missing := errors.AsType[*host.NotFoundError](err); missing {
		return errors.New(Program + " is not installed")
	}
	return err
}

// start starts a companion for a simulator and waits until it serves. Its socket is in a folder that other users cannot enter, because
// every client of the socket can drive the simulator.
func (d *Driver) start(ctx context.Context, info device.Info) (*companion, error) {
	if info.Type == device.TypePhysical {
		return nil, fault.New(fault.Unsupported, "idb_companion is started for simulators only, and %s is a physical device", info.Name).
			WithHint("choose another driver: %s", useWDA).WithDispatch(fault.NotDispatched)
	}
	if d.opts.Host == nil {
		return nil, unreachable("", errors.New("this machine cannot start a companion"))
	}
	device.Progress(ctx, "starting idb_companion for "+info.Name)
	dir, err := os.MkdirTemp("", "idb-") // mode 0700, and short: the path of a socket has a length limit
	if err != nil {
		return nil, fault.During("the folder of idb_companion's socket", err)
	}
	c := &companion{dir: dir, reads: idbwire.BackendGuestPersistent, since: time.Now()}
	serves := make(chan string, 1)
	c.process, err = d.opts.Host.Start(ctx, host.Cmd{
		Name: d.program(), Args: []string{"--udid", info.UDID, "--grpc-domain-sock", filepath.Join(dir, "s")}, ByTerm: true,
		Spool: d.opts.Logs, OnLine: func(from host.Stream, line []byte) { ready(from, line, serves) },
	})
	if err != nil {
		_ = os.RemoveAll(dir) // the reason for the failed start matters more
		return nil, unreachable("", notThere(err))
	}
	if err := c.await(ctx, d.opts.Ready, serves); err != nil {
		hint := fmt.Sprintf("read its output in %s; it needs a booted simulator and Xcode", c.process.Spool)
		_ = c.end(context.WithoutCancel(ctx)) // the reason for the failed start matters more
		if ctx.Err() != nil {
			return nil, unsent(ctx.Err())
		}
		return nil, fault.New(fault.AgentFailed, "cannot start idb_companion for %s: %w", info.Name, err).WithHint("%s", hint).
			WithDispatch(fault.NotDispatched)
	}
	return c, nil
}

// ready parses the line in which a companion prints its address.
func ready(from host.Stream, line []byte, serves chan<- string) {
	var said struct {
		Path string `json:"grpc_path"`
	}
	if from != host.Stdout || json.Unmarshal(line, &said) != nil || said.Path == "" {
		return
	}
	select {
	case serves <- said.Path:
	default:
	}
}

// await waits until the companion serves, ends, or time runs out.
func (c *companion) await(ctx context.Context, long time.Duration, serves <-chan string) error {
	late := time.NewTimer(long)
	defer late.Stop()
	select {
	case path := <-serves:
		var err error
		c.at = (&url.URL{Scheme: "unix", Path: path}).String()
		c.client, err = newClient(c.at)
		return err
	case <-c.process.Done():
		_, err := c.process.Result()
		if err == nil {
			err = errors.New("it ended by itself")
		}
		return err
	case <-late.C:
		return fmt.Errorf("it did not start serving within %s", long)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// attach makes a companion for an address.
func attach(at string) (*companion, error) {
	c, err := newClient(at)
	if err != nil {
		return nil, unreachable(at, err)
	}
	return of(c, at), nil
}

// of is the companion of a client.
func of(c *client, at string) *companion {
	return &companion{client: c, at: at, reads: idbwire.BackendGuestPersistent, since: time.Now()}
}

// alive reports whether it runs, as far as the driver knows without a request.
func (c *companion) alive() bool { return c.process == nil || c.process.Alive() }

// end disconnects, and ends the companion if the driver started it.
func (c *companion) end(ctx context.Context) error {
	if c.client != nil {
		c.close()
	}
	if c.process == nil {
		return nil
	}
	return errors.Join(c.process.Stop(ctx), os.RemoveAll(c.dir))
}

// describe adds the companion's state.
func (c *companion) describe(state *device.AgentState) {
	state.State, state.Since = device.AgentConnected, c.since
	if u, err := url.Parse(c.at); err == nil && u.Port() != "" {
		_, _ = fmt.Sscan(u.Port(), &state.Port)
	}
	if c.process == nil {
		return
	}
	state.PID, state.Log = c.process.PID, strings.TrimSpace(c.process.Spool)
	if !c.alive() {
		state.State = device.AgentDead
	}
}
