package proxy

import (
	"context"
	"errors"
	"slices"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/rules"
)

// Set changes settings of the proxy that runs. The process gets them whole; what it refuses is not changed. When it ends meanwhile, the
// next one gets them: the change may be asked for again, on settings that do not have it.
func (c *Controller) Set(ctx context.Context, change func(*Settings) error) error {
	if err := c.tidy(ctx); err != nil {
		return err
	}
	return c.change(ctx, change)
}

// change is Set without a look for those who have left.
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
	for l == nil { // who starts a process again needs the turn too
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

// send gives settings to the process, and keeps them when it took them. The caller has the turn.
func (c *Controller) send(ctx context.Context, l *link, s Settings) error {
	if err := c.push(ctx, l, s); err != nil {
		return err
	}
	return c.save()
}

// push is send without the note for the next daemon.
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
		c.folder = folder{} // its owner may have left
	}
	c.tell()
	return nil
}

// Release lets a flow go on that a session holds, changed if a change is given.
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

// ReleaseAll lets all flows go on that a session holds. It answers how many.
func (c *Controller) ReleaseAll(ctx context.Context, by string) (int, error) {
	said, err := c.ask(ctx, command{Do: doReleaseAll, By: by})
	return said.Count, err
}

// released forgets a held flow before the process tells that it is gone: whoever let it go does not see it any more.
func (c *Controller) released(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = slices.DeleteFunc(c.held, func(h rules.Held) bool { return h.Flow.ID == id })
	c.tell()
}

// Replay sends a request again for a session, through the proxy, and waits until it is answered or failed. It answers the id of the new
// flow.
func (c *Controller) Replay(ctx context.Context, by string, r flow.Request, of string) (string, error) {
	said, err := c.ask(ctx, command{Do: doReplay, Request: &r, Flow: of, By: by})
	return said.Flow, err
}

// Flush waits until all flows that the process told of are in the spool. Without a proxy there are none.
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
		return nil // what it had is in the spool
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

// Held are the flows that wait, the oldest first, and the number of the newest that ever did. It waits for one that a session holds
// with a larger number than after, at most so long; zero does not wait.
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

// Runs reports whether a process runs. It costs nothing.
func (c *Controller) Runs() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link != nil
}

// quiet is after how long without a flow a proxy does not keep the daemon any more.
const quiet = 10 * time.Minute

// Holds is why the daemon stays, each as what is told when it leaves all the same.
func (c *Controller) Holds() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range c.held {
		all = append(all, "the held request "+h.Flow.ID+" was let go")
	}
	if c.link != nil && c.o.Now().Sub(c.flows) < quiet {
		all = append(all, "the proxy on "+c.at+" ended; the next daemon starts it again")
	}
	return all
}
