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

// Of is a session's share, for changes. The first session that uses a proxy without an owner becomes its owner.
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

// Shares are the shares of all sessions, the owner's first.
func (s Settings) Shares() []rules.Share { return append([]rules.Share{s.Share}, s.More...) }

// ShareOf is a session's share; it is empty for a session without one.
func (s Settings) ShareOf(session string) rules.Share {
	for _, one := range s.Shares() {
		if one.Owner == session {
			return one
		}
	}
	return rules.Share{Owner: session}
}

// MockCount is the number of a session's mocks from calls.
func (s Settings) MockCount(session string) (n int) {
	for _, r := range s.Mocks {
		if r.Owner == session {
			n++
		}
	}
	return n
}

// bypass are the hosts that any session bypasses; which clients an entry applies to is checked per connection.
func (s Settings) bypass() (all []string) {
	for _, one := range s.Shares() {
		all = append(all, one.Bypass...)
	}
	return all
}

// owners are the sessions with a share or a mock, the proxy's owner first.
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

// mayStop refuses a session while another one has a share of a running proxy.
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

// Remove removes a session's mocks that calls made: the one with the id, or all. A named mock of another session is a *rules.OwnedError.
// It returns the number of removed mocks.
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

// Has reports whether calls made a mock with this id.
func (s *Settings) Has(id string) bool {
	return slices.ContainsFunc(s.Mocks, func(r mock.Rule) bool { return r.ID == id })
}

// Put adds or replaces a mock of a session; a mock of another session is a *rules.OwnedError.
func (s *Settings) Put(r mock.Rule, by string) error {
	s.Of(by) // the session uses the proxy
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

// drop removes a session's share. The proxy continues: the next session with a share owns it, or it has no owner.
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

// TakeOver gives a session everything of another session, or of all others if from is empty. The session keeps its own hold and its own
// single host. It returns the previous owners.
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

// own makes a session the owner of the proxy itself, with its folder of mocks.
func (s *Settings) own(by, folder string) {
	s.Folder = folder
	if i := slices.IndexFunc(s.More, func(one rules.Share) bool { return one.Owner == by }); i >= 0 {
		s.Share, s.More[i] = s.More[i], s.Share
	}
}

// TakeOver gives a session everything that another session, or all others if from is empty, has of the running proxy. It releases the
// flows that they held, and returns the previous owners.
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

// Own refuses a session that does not own the running proxy.
func (c *Controller) Own(ctx context.Context, by string) error {
	if err := c.tidy(ctx); err != nil {
		return err
	}
	s := c.Status()
	return rules.Owned("the proxy on "+s.Listen, s.Owner, by)
}

// MayStop refuses a session while another one has a share of the proxy.
func (c *Controller) MayStop(ctx context.Context, by string) error {
	if err := c.tidy(ctx); err != nil {
		return err
	}
	return c.Status().mayStop(by)
}

// left are the sessions with a share of the proxy that have left.
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

// tidy removes the shares of sessions that have left, and releases their held flows.
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
	c.o.Log.Info("removed the shares of sessions that have left", "sessions", gone, "error", err)
	return err
}

// lookAfter is the interval of checks for sessions that have left.
const lookAfter = time.Minute

// watchOwners removes the shares of sessions that leave, as long as this proxy is wanted.
func (c *Controller) watchOwners(started time.Time) {
	c.every(lookAfter, func(ctx context.Context) bool {
		c.mu.Lock()
		goesOn := c.wanted && c.settings.Started.Equal(started)
		c.mu.Unlock()
		if goesOn {
			_ = c.tidy(ctx) // change logs the error
		}
		return goesOn
	})
}

// Scope tells the process which sessions drive which devices now, and returns when the process knows. It waits for a process that is
// being started. Without a process it does nothing: the next one gets the current drivers.
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

// MayTouch reports whether a session's rules apply to a client's flows, by the drivers that the process knows.
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
