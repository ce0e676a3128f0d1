package proxy

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/rules"
)

// Settings are the requested state of a proxy. They last until the proxy is stopped, also across daemons.
type Settings struct {
	Port     int    `json:"port"` // 0: the first free port from FirstPort on
	Host     string `json:"listen_host"`
	Upstream string `json:"upstream,omitempty"` // the proxy that requests are forwarded to
	// UpstreamCA is a file with certificates for servers, and Authorities its content at the time of the call, so that later changes of
	// the file do not matter.
	UpstreamCA  string   `json:"upstream_ca,omitempty"`
	Authorities string   `json:"authorities,omitempty"`
	Insecure    []string `json:"insecure_upstream,omitempty"` // hosts whose certificates are not verified
	// System: the Mac's proxy setting should point here. Chained is the proxy that was set there before; requests are forwarded to it.
	System  bool        `json:"system_proxy,omitempty"`
	Chained string      `json:"chained,omitempty"`
	Folder  string      `json:"mocks_dir,omitempty"` // the owner gets its mocks
	Mocks   []mock.Rule `json:"mocks,omitempty"`     // mocks from calls; the folder's come after them
	Started time.Time   `json:"started"`

	// Share is the share of the session that owns the proxy: it started the proxy, or the owners before it have left.
	rules.Share
	More []rules.Share `json:"more,omitempty"` // of other sessions
}

// mostAuthorities is the maximum size of the file of authorities, in bytes.
const mostAuthorities = 1 << 20

// Believe makes the proxy trust the authorities of a file for servers; empty: no additional authorities.
func (s *Settings) Believe(file string) error {
	s.UpstreamCA, s.Authorities = file, ""
	if file == "" {
		return nil
	}
	raw, err := regularfile.Read(file, mostAuthorities)
	if err != nil {
		return fault.New(fault.PathError, "cannot read the authority of servers: %w", err).With("field", "upstream_ca").
			WithHint("name a file with a certificate in PEM")
	}
	s.Authorities = string(raw)
	return nil
}

func (s Settings) clone() Settings {
	s.Bypass, s.Mocks, s.More = slices.Clone(s.Bypass), slices.Clone(s.Mocks), slices.Clone(s.More)
	s.Throttles, s.Insecure = slices.Clone(s.Throttles), slices.Clone(s.Insecure)
	for i := range s.More {
		s.More[i].Bypass, s.More[i].Throttles = slices.Clone(s.More[i].Bypass), slices.Clone(s.More[i].Throttles)
	}
	return s
}

// allMocks are the mocks from calls, and then the folder's.
func (s Settings) allMocks(f folder) []mock.Rule {
	if s.Folder == "" {
		return slices.Clone(s.Mocks)
	}
	all := slices.Concat(s.Mocks, f.rules)
	for i := len(s.Mocks); i < len(all); i++ {
		all[i].Owner = s.Owner
	}
	return all
}

// State is the state of a proxy.
type State string

// The states.
const (
	Stopped    State = "stopped"
	Running    State = "running"
	Restarting State = "restarting" // its process ended and is being restarted
	Broken     State = "error"      // its process ended too often
)

// Status is the current status of the proxy.
type Status struct {
	Settings
	State    State
	Listen   string // host and port
	Error    string // why the proxy does not run, or an error in the folder of mocks
	Restarts int
	Held     int
	Rules    []mock.Rule // all rules, in the order of matching
	Hits     map[string]int
	Bypassed map[string]int64 // connections that were forwarded unopened, by host, at the last flush
}

// Status gives the status, without waiting.
func (c *Controller) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{
		Settings: c.settings.clone(), State: Stopped, Listen: c.at, Restarts: c.restarts, Held: len(c.held),
		Rules: c.settings.allMocks(c.folder), Hits: maps.Clone(c.hits),
		Bypassed: maps.Clone(c.bypassed),
	}
	if c.folder.problem != nil {
		s.Error = c.folder.problem.Error()
	}
	switch {
	case c.link != nil:
		s.State = Running
	case c.wanted:
		s.State = Restarting
	}
	if c.why != nil {
		s.Error = c.why.Error()
		if !c.wanted {
			s.State = Broken
		}
	}
	return s
}

// Resume starts the proxy again that ran when the previous daemon ended, and reports whether there was one. It does not wait for the
// process; calls that need the proxy do.
func (c *Controller) Resume() (resumes bool) {
	s, err := c.noted()
	var newer *newerNote
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case errors.As(err, &newer):
		c.o.Log.Warn("not resuming the earlier proxy", "error", err)
		c.mu.Lock()
		c.why = err
		c.mu.Unlock()
		return false
	case err != nil:
		c.o.Log.Warn("cannot resume the earlier proxy", "error", err)
		_ = c.removeNotes() // otherwise the next daemon would fail the same way
		return false
	}
	f, err := openFolder(s.Folder)
	if err != nil {
		c.o.Log.Warn("cannot load the mocks of the proxy", "error", err)
	}
	c.mu.Lock()
	c.wanted, c.settings, c.folder, c.why = true, s, f, errResumes
	c.mu.Unlock()
	c.work.Go(func() {
		c.o.Ended(c.life)
		c.again(1)
	})
	c.work.Go(c.watchFolder)
	c.work.Go(func() { c.watchOwners(s.Started) })
	return true
}

var errResumes = errors.New("the process is starting after a restart of the daemon")

// folder is the last content of the folder of mocks.
type folder struct {
	dir     string
	rules   []mock.Rule
	problem error // why its newest content is unused
	loaded  *mock.Folder
}

func openFolder(dir string) (folder, error) {
	if dir == "" {
		return folder{}, nil
	}
	loaded, err := mock.Load(dir)
	f := folder{dir: dir, loaded: loaded, problem: err}
	if loaded != nil {
		f.rules = loaded.Rules()
	}
	return f, err
}

// lookEvery is the interval of checks of the folder of mocks.
const lookEvery = time.Second

// watchFolder reloads the mocks of the folder when they change, until the proxy is stopped.
func (c *Controller) watchFolder() {
	c.mu.Lock()
	dir := c.folder.dir
	c.mu.Unlock()
	if dir == "" {
		return
	}
	c.every(lookEvery, func(ctx context.Context) bool { return c.reload(ctx, dir) })
}

// every calls look repeatedly, until look returns false or the Controller ends.
func (c *Controller) every(pause time.Duration, look func(context.Context) (more bool)) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-c.life.Done():
			return
		}
		ctx, cancel := context.WithTimeout(c.life, startLimit)
		more := look(ctx)
		cancel()
		if !more {
			return
		}
	}
}

// Reread updates the process: the mocks of the folder, the drivers of devices, and the sessions that have left.
func (c *Controller) Reread(ctx context.Context) {
	c.mu.Lock()
	dir, wanted := c.folder.dir, c.wanted
	c.mu.Unlock()
	if dir != "" {
		c.reload(ctx, dir)
	}
	if !wanted {
		return
	}
	if err := errors.Join(c.tidy(ctx), c.Scope(ctx)); err != nil {
		c.o.Log.Warn("cannot update the owners of the proxy's rules", "error", err)
	}
}

// reload reads the folder again if it changed. After an error the mocks stay, and the log and the status have the error. It reports
// whether the folder still belongs to the proxy.
func (c *Controller) reload(ctx context.Context, dir string) (more bool) {
	select {
	case c.reads <- struct{}{}: // one at a time: a second call finds the first one's result in use
		defer func() { <-c.reads }()
	case <-ctx.Done():
		return true
	}
	c.mu.Lock()
	f, wanted := c.folder, c.wanted
	c.mu.Unlock()
	if !wanted || f.dir != dir {
		return false
	}
	if f.loaded == nil || !f.loaded.Changed() {
		return true
	}
	wrong := f.loaded.Reload()
	err := c.Set(ctx, func(*Settings) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.folder.rules, c.folder.problem = f.loaded.Rules(), wrong
		return wrong
	})
	if err != nil {
		c.o.Log.Warn("cannot reload the folder of mocks; the previous mocks stay", "error", err)
	}
	return true
}
