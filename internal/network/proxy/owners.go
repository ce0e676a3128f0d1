package proxy

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/rules"
)

// Of is a session's share, to be changed. The first session that uses a proxy of nobody owns it.
func (s *Settings) Of(session string) *rules.Share {
	if s.Owner == "" {
		s.Owner = session
	}
	if s.Owner == session {
		return &s.Share
	}
	i := slices.IndexFunc(s.More, func(one rules.Share) bool { return one.Owner == session })
	if i < 0 {
		i, s.More = len(s.More), append(s.More, rules.Share{Owner: session})
	}
	return &s.More[i]
}

// Shares are those of all sessions, the owner's first.
func (s Settings) Shares() []rules.Share { return append([]rules.Share{s.Share}, s.More...) }

// ShareOf is a session's share; the zero value if it has none.
func (s Settings) ShareOf(session string) rules.Share {
	for _, one := range s.Shares() {
		if one.Owner == session {
			return one
		}
	}
	return rules.Share{Owner: session}
}

// MockCount is how many of the mocks that calls made are a session's.
func (s Settings) MockCount(session string) (n int) {
	for _, r := range s.Mocks {
		if r.Owner == session {
			n++
		}
	}
	return n
}

// bypass are the hosts that any session wants passed on; whose requests are meant is asked later.
func (s Settings) bypass() (all []string) {
	for _, one := range s.Shares() {
		all = append(all, one.Bypass...)
	}
	return all
}

// owners are the sessions that have something of the proxy, its owner first.
func (s Settings) owners() (all []string) {
	for _, one := range s.Shares() {
		all = append(all, one.Owner)
	}
	for _, r := range s.Mocks {
		all = append(all, r.Owner)
	}
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(all, func(name string) bool {
		known := seen[name]
		seen[name] = true
		return known
	})
}

// mayStop refuses a session while another one has something of a proxy that is not given up.
func (s Status) mayStop(by string) error {
	if s.State == Stopped || s.State == Broken {
		return nil
	}
	what := "the proxy on " + s.Listen
	for _, owner := range s.owners() {
		if owner != s.Owner {
			what = "a share of the proxy on " + s.Listen
		}
		if err := rules.Owned(what, owner, by); err != nil {
			return err
		}
	}
	return nil
}

// Remove takes mocks away that calls of a session made. One of another session that is named is an *rules.OwnedError; all are the
// session's own. It answers how many.
func (s *Settings) Remove(id string, all bool, by string) (removed int, err error) {
	kept := slices.DeleteFunc(slices.Clone(s.Mocks), func(r mock.Rule) bool {
		owned := rules.Owned("the mock "+r.ID, r.Owner, by)
		if r.ID == id {
			err = owned
		}
		return (all || r.ID == id) && owned == nil
	})
	removed, s.Mocks = len(s.Mocks)-len(kept), kept
	return removed, err
}

// Has reports whether calls made a mock of an id.
func (s *Settings) Has(id string) bool {
	return slices.ContainsFunc(s.Mocks, func(r mock.Rule) bool { return r.ID == id })
}

// Put adds a mock of a session, or changes one; one of another session is an *rules.OwnedError.
func (s *Settings) Put(r mock.Rule, by string) error {
	s.Of(by) // it uses the proxy
	for _, was := range s.Mocks {
		if err := rules.Owned("the mock "+r.ID, was.Owner, by); was.ID == r.ID && err != nil {
			return err
		}
	}
	r.Owner = by
	put, err := mock.Put(s.Mocks, r)
	if err == nil {
		s.Mocks = put
	}
	return err
}

// drop forgets what a session has. The proxy goes on: it is that of the next one who has something of it, or nobody's.
func (s *Settings) drop(session string) {
	s.Mocks = slices.DeleteFunc(s.Mocks, func(r mock.Rule) bool { return r.Owner == session })
	s.More = slices.DeleteFunc(s.More, func(one rules.Share) bool { return one.Owner == session })
	if s.Owner != session {
		return
	}
	s.Share, s.Folder = rules.Share{}, ""
	if len(s.More) > 0 {
		s.Share, s.More = s.More[0], s.More[1:]
	}
}

// TakeOver makes everything a session's that another one has, or that all others have if none is named: what it holds itself and the
// one host it sees itself stay. It answers whose it was.
func (s *Settings) TakeOver(from, by string) (taken []string) {
	for _, owner := range s.owners() {
		if owner == by || from != "" && owner != from {
			continue
		}
		theirs, folder, was := s.ShareOf(owner), s.Folder, s.Owner
		for i := range s.Mocks {
			if s.Mocks[i].Owner == owner {
				s.Mocks[i].Owner = by
			}
		}
		s.drop(owner)
		mine := s.Of(by)
		mine.Bypass, mine.Only = append(mine.Bypass, theirs.Bypass...), cmp.Or(mine.Only, theirs.Only)
		if mine.Hold == nil {
			mine.Hold = theirs.Hold
		}
		throttles := append(mine.Throttles, theirs.Throttles...)
		mine.Throttles = throttles[:min(len(throttles), rules.MostThrottles)]
		if was == owner {
			s.own(by, folder)
		}
		taken = append(taken, owner)
	}
	return taken
}

// own makes the proxy itself a session's, with its folder of mocks.
func (s *Settings) own(by, folder string) {
	s.Folder = folder
	if i := slices.IndexFunc(s.More, func(one rules.Share) bool { return one.Owner == by }); i >= 0 {
		s.Share, s.More[i] = s.More[i], s.Share
	}
}

// TakeOver makes everything a session's that another one has of the proxy that runs, or all others if none is named. What they held goes
// on. It answers whose it was.
func (c *Controller) TakeOver(ctx context.Context, from, by, reason string) (taken []string, err error) {
	err = c.Set(ctx, func(s *Settings) error {
		taken = s.TakeOver(from, by)
		return nil
	})
	if err == nil && len(taken) > 0 {
		c.o.Log.Warn("a session took the proxy over", "from", taken, "by", by, "reason", reason)
	}
	return taken, err
}

// Own refuses a session that does not own the proxy that runs.
func (c *Controller) Own(ctx context.Context, by string) error {
	if err := c.tidy(ctx); err != nil {
		return err
	}
	s := c.Status()
	return rules.Owned("the proxy on "+s.Listen, s.Owner, by)
}

// MayStop refuses a session while another one has something of the proxy.
func (c *Controller) MayStop(ctx context.Context, by string) error {
	if err := c.tidy(ctx); err != nil {
		return err
	}
	return c.Status().mayStop(by)
}

// left are the sessions that have something of the proxy and have left.
func (c *Controller) left() (gone []string) {
	c.mu.Lock()
	owners, wanted := c.settings.owners(), c.wanted
	c.mu.Unlock()
	for _, owner := range owners {
		if wanted && c.o.Left != nil && c.o.Left(owner) {
			gone = append(gone, owner)
		}
	}
	return gone
}

// tidy ends what sessions have that have left. What they held goes on.
func (c *Controller) tidy(ctx context.Context) error {
	gone := c.left()
	if len(gone) == 0 {
		return nil
	}
	err := c.change(ctx, func(s *Settings) error {
		for _, owner := range gone {
			s.drop(owner)
		}
		return nil
	})
	c.o.Log.Info("what sessions that have left had of the proxy is gone", "sessions", gone, "error", err)
	return err
}

// lookAfter is how often it is looked whether sessions have left.
const lookAfter = time.Minute

// watchOwners ends what sessions have that leave, as long as this proxy is wanted.
func (c *Controller) watchOwners(started time.Time) {
	c.every(lookAfter, func(ctx context.Context) bool {
		c.mu.Lock()
		goesOn := c.wanted && c.settings.Started.Equal(started)
		c.mu.Unlock()
		if goesOn {
			_ = c.tidy(ctx) // it is logged
		}
		return goesOn
	})
}

// Scope has the rules touch the flows of the devices as they are driven now. It returns when the process knows; one that is just being
// started is waited for. Without a process there is nothing to do: the next one is told.
func (c *Controller) Scope(ctx context.Context) error {
	if err := c.take(ctx); err != nil {
		return err
	}
	defer c.give()
	c.mu.Lock()
	l, s, told := c.link, c.settings, c.told
	c.mu.Unlock()
	if l == nil || maps.EqualFunc(c.drivers(ctx), told, slices.Equal) {
		return nil
	}
	return c.push(ctx, l, s)
}

// MayTouch reports whether what a session wants is done to a client's flows, by the drivers that the process knows.
func (c *Controller) MayTouch(session string, of flow.Client) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.told.MayTouch(session, of)
}

func (c *Controller) drivers(ctx context.Context) rules.Drivers {
	if c.o.Drivers == nil {
		return nil
	}
	return c.o.Drivers(ctx)
}
