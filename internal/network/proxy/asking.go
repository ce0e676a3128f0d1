package proxy

import (
	"context"
	"errors"
	"slices"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/rules"
)

// Set changes settings of the running proxy. The process gets all settings at once; settings that it refuses are unchanged. If the
// process ends meanwhile, the next one gets the change: change may be called again, on settings without it.
func (c *Controller) Set(ctx context.Context, change func(*Settings) error) error {
	if err := c.tidy(ctx); err != nil {
		return err
	}
	return c.change(ctx, change)
}

// change is Set without removing the sessions that have left.
func (c *Controller) change(ctx context.Context, change func(*Settings) error) error {
	for {
		err := c.set(ctx, change)
		if ended := (*endedError)(nil); !errors.As(err, &ended) {
			return err
		}
	}
}

func (c *Controller) set(ctx context.Context, change func(*Settings) error) error {
	var l *link
	for l == nil { // a restart of the process needs the turn too
		if _, err := c.live(ctx); err != nil {
			return err
		}
		if err := c.take(ctx); err != nil {
			return err
		}
		c.mu.Lock()
		l = c.link
		c.mu.Unlock()
		if l == nil {
			c.give()
		}
	}
	defer c.give()
	c.mu.Lock()
	s := c.settings.clone()
	c.mu.Unlock()
	if err := change(&s); err != nil {
		return err
	}
	return c.send(ctx, l, s)
}

// send gives settings to the process, and saves them once it accepted them. The caller must have the turn.
func (c *Controller) send(ctx context.Context, l *link, s Settings) error {
	if err := c.push(ctx, l, s); err != nil {
		return err
	}
	return c.save()
}

// push is send without saving the note for the next daemon.
func (c *Controller) push(ctx context.Context, l *link, s Settings) error {
	config := c.config(ctx, s)
	said, err := l.ask(ctx, command{Do: doConfig, Config: &config})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settings, c.told, c.hits = s, config.Drivers, said.Hits
	if s.Folder == "" {
		c.folder = folder{} // the folder's owner may have left
	}
	c.tell()
	return nil
}

// Release releases a flow that a session holds, with a change if one is given.
func (c *Controller) Release(ctx context.Context, by, id string, change *flow.Change) error {
	if err := c.tidy(ctx); err != nil {
		return err
	}
	_, err := c.ask(ctx, command{Do: doRelease, Flow: id, By: by, Change: change})
	if err == nil {
		c.released(id)
	}
	return err
}

// ReleaseAll releases all flows that a session holds. It returns their number.
func (c *Controller) ReleaseAll(ctx context.Context, by string) (int, error) {
	said, err := c.ask(ctx, command{Do: doReleaseAll, By: by})
	return said.Count, err
}

// released removes a held flow before the process reports the release: the caller that released it must not see it again.
func (c *Controller) released(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = slices.DeleteFunc(c.held, func(h rules.Held) bool { return h.Flow.ID == id })
	c.tell()
}

// Replay sends a request again for a session, through the proxy, and waits until it is answered or fails. It returns the id of the new
// flow.
func (c *Controller) Replay(ctx context.Context, by string, r flow.Request, of string) (string, error) {
	said, err := c.ask(ctx, command{Do: doReplay, Request: &r, Flow: of, By: by})
	return said.Flow, err
}

// Flush waits until all recorded flows are in the spool. Without a proxy it returns at once.
func (c *Controller) Flush(ctx context.Context) error {
	c.mu.Lock()
	l := c.link
	c.mu.Unlock()
	if l == nil {
		return nil
	}
	said, err := l.ask(ctx, command{Do: doFlush})
	if err == nil {
		c.mu.Lock()
		c.hits, c.bypassed = said.Hits, said.Bypassed
		c.mu.Unlock()
	}
	if ended := (*endedError)(nil); errors.As(err, &ended) {
		return nil // an ending process writes its flows to the spool
	}
	return err
}

func (c *Controller) ask(ctx context.Context, what command) (line, error) {
	l, err := c.live(ctx)
	if err != nil {
		return line{}, err
	}
	return l.ask(ctx, what)
}

// Held are the held flows, the oldest first, and the number of the newest hold so far. It waits, for wait at most, for a flow that a
// session holds with a larger number than after; zero does not wait.
func (c *Controller) Held(ctx context.Context, by string, after int64, wait time.Duration) ([]rules.Held, int64) {
	limit := time.NewTimer(wait)
	defer limit.Stop()
	for {
		c.mu.Lock()
		held, last, changed := slices.Clone(c.held), c.last, c.changed
		c.mu.Unlock()
		there := slices.ContainsFunc(held, func(h rules.Held) bool { return h.Owner == by && h.Sequence > after })
		if there || wait <= 0 {
			return held, last
		}
		select {
		case <-changed:
		case <-limit.C:
			return held, last
		case <-ctx.Done():
			return held, last
		case <-c.life.Done():
			return held, last
		}
	}
}

// Runs reports whether a process runs. It is cheap.
func (c *Controller) Runs() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link != nil
}

// quiet is the time without a flow after which the proxy no longer keeps the daemon alive.
const quiet = 10 * time.Minute

// Holds is the work that keeps an idle daemon alive, each in the words for an exit all the same.
func (c *Controller) Holds() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range c.held {
		all = append(all, "the held request "+h.Flow.ID+" was released")
	}
	if c.link != nil && c.o.Now().Sub(c.flows) < quiet {
		all = append(all, "the proxy on "+c.at+" ended; the next daemon starts it again")
	}
	return all
}
