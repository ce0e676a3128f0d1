package act

import (
	"context"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

// effect looks until the input has changed something and the screen is still, or until the reaction time is over. A visible change on a
// still screen ends it at once.
func (s Step) effect(ctx context.Context, how How, report *Report, guard *device.Guard) (after *ui.Screen, err error) {
	c := clock{began: time.Now()}
	last := time.Duration(0) // end of the look before
	after, err = s.afterInput(ctx, how, guard)
	for err == nil {
		c.add(after)
		after = s.recheck(ctx, how, &c, report, after, ui.Span{From: last, To: c.spent()})
		after = s.caught(ctx, &c, report.Before, after)
		outcome, _ := s.compare(report.Before, after).Judge(report.Target)
		report.Looked = c.spent()
		last = report.Looked
		left := s.reaction(how) - report.Looked
		if outcome == ui.Changed && !report.ticking || report.Lost != nil || left <= 0 || ctx.Err() != nil {
			return after, nil
		}
		later, failed := s.next(ctx, how, &c, after, left)
		switch {
		case failed == nil:
			after = later
		case noScreen(failed):
			err = failed
		default:
			return after, nil // one look succeeded, which is enough
		}
	}
	return nil, err
}

// caught handles a look during the animation that the input started: by chance such a look can equal the screen before.
func (s Step) caught(ctx context.Context, c *clock, before, after *ui.Screen) *ui.Screen {
	const looks = 5
	for range looks {
		moves := false
		s.Session.Refs(func(r *ui.Refs) { moves = r.SetOff(s.Device.Info().UDID) })
		if outcome, _ := s.compare(before, after).Judge(nil); !moves || outcome == ui.Changed {
			break
		}
		later, err := s.observe(ctx, brief())
		if err != nil {
			break
		}
		c.add(later)
		later.Quiet = after.Quiet && !later.Settled
		after = later
	}
	return after
}

// stamped is a look with the moment at which it ended.
func (s Step) stamped(screen *ui.Screen) *ui.Screen {
	s.Session.Refs(func(r *ui.Refs) { r.Stamp(s.Device.Info().UDID, screen) })
	return screen
}

// afterInput is the first look after an input: the device's own, if it looked.
func (s Step) afterInput(ctx context.Context, how How, guard *device.Guard) (*ui.Screen, error) {
	seen := s.pages(ctx, guard.Seen)
	switch {
	case seen == nil || guard.After.Stable == 0:
		return s.settle(ctx, how.settled())
	case seen.Root == nil:
		return nil, s.notRunning(seen)
	case seen.Settled || how.settled().Max < patientMax:
		return s.stamped(seen), nil
	}
	return s.learn(ctx, s.stamped(seen)), nil
}

// next is the first settled look that differs from the last one, or the last look within the time left. A device that can compare looks
// waits by itself.
func (s Step) next(ctx context.Context, how How, c *clock, last *ui.Screen, left time.Duration) (*ui.Screen, error) {
	if last.Digest != "" && last.Settled {
		w := how.still()
		w.Unlike, w.Patience = last.Digest, left
		return s.observe(ctx, w)
	}
	for pause := min(reactionStep, left); ; {
		seen, err := s.observe(ctx, device.Wait{Stable: pause, Min: pause, Max: pause})
		if err != nil {
			return nil, err
		}
		same := seen.Hash() == last.Hash()
		if !same && last.Quiet {
			s.Session.Refs(func(r *ui.Refs) { same = r.AtRest(s.Device.Info().UDID, last, seen) })
		}
		if !same {
			c.add(seen)
			return s.settle(ctx, how.still())
		}
		seen.Quiet = last.Quiet && !seen.Settled
		if left -= pause; left <= 0 || ctx.Err() != nil {
			return seen, nil
		}
		c.add(seen)
		pause = min(reactionStep, left)
	}
}

// compare is the difference of two screens without the parts that are known to change by themselves.
func (s Step) compare(before, after *ui.Screen) (d ui.Diff) {
	d = ui.Compare(before, after)
	s.Session.Refs(func(r *ui.Refs) { d = r.Calm(s.Device.Info().UDID, d) })
	return d
}

// rhythm is what a step knows about texts in which only digits changed.
type rhythm struct {
	ticking, doubtful bool
	changed           ui.Span // time of the change since the input
}

// recheck looks again when only digits changed: a clock changes again by itself, but a count that the input changed does not. Texts
// that did not change again are remembered, so that each is checked once. Without time for the check, the report shows the change.
func (s Step) recheck(ctx context.Context, how How, c *clock, r *Report, after *ui.Screen, changed ui.Span) *ui.Screen {
	r.ticking = false
	if how.React != nil && *how.React < pulse || r.Lost != nil {
		return after
	}
	switch {
	case r.changed != ui.Span{}:
		changed = r.changed
	case after.Settled:
		changed = awaited(changed, lag, still().Stable)
	}
	var p *ui.Pulse
	s.Session.Refs(func(refs *ui.Refs) { p = refs.Suspect(s.Device.Info().UDID, r.Before, after, changed) })
	if p == nil {
		return after
	}
	last := s.follow(ctx, c, p, after)
	doubtful := false
	s.Session.Refs(func(refs *ui.Refs) { r.ticking, doubtful = refs.Judge(p, last) })
	r.changed, r.doubtful = changed, r.doubtful || doubtful
	return last
}

const (
	// pulse is long enough for a clock on the screen to show the next second.
	pulse = 1100 * time.Millisecond
	// beat is the interval of looks at a screen that may show a clock.
	beat = 50 * time.Millisecond
	// lag is the delay between a change and the end of the look that waited for it.
	lag = 250 * time.Millisecond
)

// follow looks until all texts of a pulse have changed again, or until a clock would have changed.
func (s Step) follow(ctx context.Context, c *clock, p *ui.Pulse, after *ui.Screen) *ui.Screen {
	last, until := after, c.spent()+pulse
	for left := pulse; left > 0; left = until - c.spent() {
		began := c.spent()
		later, err := s.observe(ctx, beatUnlike(last, left))
		if err != nil {
			return last // the earlier looks count
		}
		c.add(later)
		when := ui.Span{From: began, To: c.spent()}
		if last.Digest != "" {
			when = awaited(when, 3*beat, beat)
		}
		last = later
		if p.See(later, when) {
			break
		}
	}
	return last
}

// hung is longer than any look waits: a look that takes longer means that the app or its driver hung.
const hung = 10 * time.Second

// awaited is the time span in which a change came, for a look that waited for the change and then for a still screen. Such a look ends
// between least and most after the change. In a look that hung, the change came at any time.
func awaited(look ui.Span, most, least time.Duration) ui.Span {
	if look.To-look.From > hung {
		return look
	}
	return ui.Span{From: max(look.From, look.To-most), To: max(look.From, look.To-least)}
}

// beatUnlike is a short look. A device that can compare looks ends it as soon as the screen differs.
func beatUnlike(last *ui.Screen, left time.Duration) device.Wait {
	if last.Digest != "" {
		return device.Wait{Stable: beat, Max: 2 * beat, Unlike: last.Digest, Patience: left}
	}
	return device.Wait{Stable: beat, Min: beat, Max: beat}
}

// judge sets the outcome of a step. A change that may have another cause gives the outcome unknown, never unchanged.
func (s Step) judge(report *Report, after *ui.Screen) {
	diff := s.compare(report.Before, after)
	report.After = after
	report.Outcome, report.Evidence = diff.Judge(report.Target)
	switch {
	case report.Ended != nil:
		report.Outcome, report.Evidence = ui.Changed, []string{ui.EvidenceEnded}
	case report.ticking:
		report.Outcome, report.Evidence = ui.Unchanged, []string{ui.EvidenceAmbient}
	case len(report.Evidence) == 0 && (after.Quiet || diff.Doubtful):
		report.Evidence = []string{ui.EvidenceAmbient} // only parts that always move changed
	}
	switch {
	case report.Ended != nil: // an ended app needs no further proof
	case report.Outcome == ui.Unchanged && (report.doubtful || diff.Doubtful):
		report.Outcome, report.Doubt = ui.Unknown, "the changing part may have changed by itself before the input"
	case report.Outcome == ui.Changed && diff.Ended(report.Target):
		report.Outcome, report.Doubt = ui.Unknown, "it may be the end of an animation from before the input"
	case report.finger && diff.Slipped(report.Target, report.At):
		if report.Doubt = "another element moved the target away from the finger, which may have touched another element"; diff.OnlyCame() {
			report.Outcome, report.Doubt = ui.Unknown, report.Doubt+", or none"
		}
	}
	if report.Lost != nil {
		report.Outcome = ui.Unknown
	}
	udid := s.Device.Info().UDID
	s.Session.Refs(func(r *ui.Refs) {
		if after.Root == nil {
			return // no window is left; the last screen is out of date
		}
		report.Lines = outline.Changes(diff, udid, r)
		r.Remember(udid, after)
	})
}
