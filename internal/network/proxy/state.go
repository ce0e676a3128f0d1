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

// Settings are what a proxy was asked to do. They last until it is stopped, also over the end of a daemon.
type Settings struct {
	Port     int    `json:"port"` // 0: the first free one from FirstPort on
	Host     string `json:"listen_host"`
	Upstream string `json:"upstream,omitempty"` // the proxy that requests go to
	// UpstreamCA is the file whose certificates vouch for servers, and Authorities its content when it was named: it must not matter later
	// what becomes of the file.
	UpstreamCA  string   `json:"upstream_ca,omitempty"`
	Authorities string   `json:"authorities,omitempty"`
	Insecure    []string `json:"insecure_upstream,omitempty"` // hosts whose certificates are not looked at
	// System: the Mac's proxy was asked to point here. Chained is the proxy that was set there before; requests go on to it.
	System  bool        `json:"system_proxy,omitempty"`
	Chained string      `json:"chained,omitempty"`
	Folder  string      `json:"mocks_dir,omitempty"` // its mocks are the owner's
	Mocks   []mock.Rule `json:"mocks,omitempty"`     // those that calls made; the folder's come after them
	Started time.Time   `json:"started"`

	// Share is that of the session that owns the proxy: it started it, or those before it have left.
	rules.Share
	More []rules.Share `json:"more,omitempty"` // of other sessions that use it
}

// mostAuthorities bounds the file of authorities.
const mostAuthorities = 1 << 20

// Believe has servers believed for which the certificates of a file vouch; empty: none does.
func (s *Settings) Believe(file string) error {
	s.UpstreamCA, s.Authorities = file, ""
	if file == "" {
		return nil
	}
	raw, err := regularfile.Read(file, mostAuthorities)
	if err != nil {
		return fault.New(fault.PathError, "the authority of servers cannot be read: %w", err).With("field", "upstream_ca").
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

// allMocks are those that calls made, and then the folder's.
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

// State is how a proxy is.
type State string

// The states.
const (
	Stopped    State = "stopped"
	Running    State = "running"
	Restarting State = "restarting" // its process ended, and a new one is being started
	Broken     State = "error"      // it ended too often
)

// Status is how the proxy is.
type Status struct {
	Settings
	State    State
	Listen   string // host and port
	Error    string // why it does not run, or what is wrong with the folder of mocks
	Restarts int
	Held     int
	Rules    []mock.Rule // all, in the order in which they are tried
	Hits     map[string]int
	Bypassed map[string]int64 // connections that were passed on unseen, by host, at the last flush
}

// Status tells it, without waiting.
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

// Resume starts the proxy that ran when the daemon before this one ended, if one did. It does not wait for it; calls that need the
// proxy do. It reports whether one did.
func (c *Controller) Resume() (resumes bool) {
	s, err := c.noted()
	var newer *newerNote
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case errors.As(err, &newer):
		c.o.Log.Warn("the proxy of before is not started again", "error", err)
		c.mu.Lock()
		c.why = err
		c.mu.Unlock()
		return false
	case err != nil:
		c.o.Log.Warn("the proxy of before cannot be started again", "error", err)
		_ = c.removeNotes() // the next daemon would say it again
		return false
	}
	f, err := openFolder(s.Folder)
	if err != nil {
		c.o.Log.Warn("the mocks of the proxy", "error", err)
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

var errResumes = errors.New("it is started again after the daemon was")

// folder is the mocks of a folder, as they were read last.
type folder struct {
	dir     string
	rules   []mock.Rule
	problem error // why its newest content is not used
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

// lookEvery is how often the folder of mocks is looked at.
const lookEvery = time.Second

// watchFolder has the mocks of the folder used as they change, until the proxy is stopped.
func (c *Controller) watchFolder() {
	c.mu.Lock()
	dir := c.folder.dir
	c.mu.Unlock()
	if dir == "" {
		return
	}
	c.every(lookEvery, func(ctx context.Context) bool { return c.reload(ctx, dir) })
}

// every looks again and again, until a look says that it was the last or the controller ends.
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

// Reread has everything used as it is now: the mocks of the folder, who drives which device, which sessions have left.
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
		c.o.Log.Warn("whose the rules of the proxy are is not up to date", "error", err)
	}
}

// reload reads the folder again if it changed. What cannot be read leaves the mocks as they are, and is told. It reports whether the
// folder is still the proxy's.
func (c *Controller) reload(ctx context.Context, dir string) (more bool) {
	select {
	case c.reads <- struct{}{}: // one at a time: who comes second finds what the first one read in use
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
		c.o.Log.Warn("the mocks of the folder are as they were", "error", err)
	}
	return true
}
