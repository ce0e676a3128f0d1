package agent

import (
	"context"
	"strings"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

// lookOptions are the options of a Look, or of the look after an Act.
type lookOptions struct {
	wait          agentwire.Wait
	limits        limits
	candidates    []string // apps that may be in front other than the target and SpringBoard
	unlike        string   // a digest: while the still screen has this digest, keep looking, for wait.PatienceMS
	orSpringBoard bool     // look at SpringBoard if no known app is in front
}

// sight is one look at the app in front, with data beyond the answer.
type sight struct {
	agentwire.Sight
	trees []*world.Element // the app's tree, and the tree over it
	kept  map[*world.Element]bool
}

func (s *session) look(ctx context.Context, m *agentwire.Look) (agentwire.Response, error) {
	candidates := strings.Fields(m.Candidates)
	seen, err := s.see(ctx, lookOptions{wait: m.Wait, limits: lookLimits(m.Limits), candidates: candidates, unlike: m.Unlike,
		orSpringBoard: len(candidates) > 0})
	return &seen.Sight, err
}

// see looks until the screen is still and differs from the digest in o, or until patience ends.
func (s *session) see(ctx context.Context, o lookOptions) (sight, error) {
	start, samples := s.opts.Clock.Now(), uint32(0)
	for {
		seen, err := s.settled(ctx, o)
		if err != nil {
			return seen, err
		}
		samples += seen.Samples
		waited := s.opts.Clock.Now().Sub(start)
		left := ms(o.wait.PatienceMS) - waited
		if !seen.Settled || seen.Digest != o.unlike || left <= 0 {
			seen.Samples, seen.WaitedMS = samples, clamp(waited.Milliseconds())
			return seen, nil
		}
		o.wait.MinMS = 0
		if err := s.opts.Clock.Sleep(ctx, min(pollEvery, left)); err != nil {
			return seen, err
		}
	}
}

// settled looks at the app in front until it is still. If another app comes to the front meanwhile, it looks at that app.
func (s *session) settled(ctx context.Context, o lookOptions) (sight, error) {
	start, samples := s.opts.Clock.Now(), uint32(0)
	for {
		front, err := s.front(ctx, o.candidates)
		if err != nil {
			return sight{}, err
		}
		if front == "" && !o.orSpringBoard {
			return s.nothing(ctx, samples)
		}
		spent := s.opts.Clock.Now().Sub(start)
		seen, err := s.sample(ctx, o, front, spent)
		if err != nil {
			return seen, err
		}
		samples += seen.Samples
		seen.Samples = samples
		if front == "" || seen.State == string(world.RunningForeground) {
			return seen, nil
		}
	}
}

// sample waits until one app is still. bundle "" is SpringBoard, whatever its state.
func (s *session) sample(ctx context.Context, o lookOptions, bundle string, spent time.Duration) (sight, error) {
	if bundle == "" {
		bundle = world.SpringBoard
	}
	seen, err := s.watch(ctx, bundle, world.Wait{
		Stable: ms(o.wait.StableMS), Min: max(0, ms(o.wait.MinMS)-spent), Max: max(0, ms(o.wait.MaxMS)-spent),
	})
	if err != nil {
		return sight{}, err
	}
	return seenOf(seen, o.limits)
}

// nothing returns the answer for the case that no known app is in front. It reads no tree.
func (s *session) nothing(ctx context.Context, samples uint32) (sight, error) {
	state, err := s.opts.Screen.State(ctx, s.opts.UDID, s.aimedAt())
	if err != nil {
		return sight{}, err
	}
	seen, err := seenOf(watched{Observation: world.Observation{State: state, Settled: true}}, limits{})
	seen.Samples = samples
	return seen, err
}

// front returns the app in front: the target, SpringBoard, or the first candidate in front, or "".
func (s *session) front(ctx context.Context, candidates []string) (string, error) {
	for _, bundle := range append([]string{s.aimedAt(), world.SpringBoard}, candidates...) {
		state, err := s.opts.Screen.State(ctx, s.opts.UDID, bundle)
		if err != nil {
			return "", err
		}
		if state == world.RunningForeground {
			return bundle, nil
		}
	}
	return "", nil
}

// seenOf converts an observation to an answer.
func seenOf(o watched, l limits) (sight, error) {
	seen := sight{trees: roots(o.Observation)}
	t := newTrimmer(l)
	t.kept = map[*world.Element]bool{}
	seen.kept = t.kept
	text, err := agentwire.EncodeElements(t.all(seen.trees, 0))
	cover := ""
	if o.System != nil {
		cover = world.SpringBoard
	}
	seen.Sight = agentwire.Sight{
		Settled: o.Settled, WaitedMS: clamp(o.Waited.Milliseconds()), Samples: clamp(int64(o.Samples)), Truncated: t.left + o.unread,
		Front: o.Bundle, State: string(o.State), Cover: cover, Digest: agentwire.Digest(o.Bundle, cover, text), JSON: text,
	}
	return seen, err
}
