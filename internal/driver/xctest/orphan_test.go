package xctest_test

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/rig"
)

// TestStreamOfDeadAgentIsDropped: the agent's process ends, but one of its children still answers on the stream. The driver cannot watch
// that child, so it starts another agent.
func TestStreamOfDeadAgentIsDropped(t *testing.T) {
	t.Parallel()
	dir := rig.Dir(t)
	xcode, err := virtualxcode.NewInProcess(virtualxcode.InProcessOptions{
		Dir: dir, Agent: rig.Scheme(), Time: "request@" + time.Now().UTC().Format(time.RFC3339),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := xcode.Close(); err != nil {
			t.Error(err)
		}
	})
	orphan := &orphan{exit: make(chan struct{}), live: t.Context()}
	runner, err := host.New(host.Options{Dir: filepath.Join(dir, "children"), Inside: func(name string) host.Main {
		if main := xcode.Program(name); main != nil {
			return orphan.leaveBehind(main)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := rig.Over(t, rig.Parts{
		World: xcode.World(), Service: xcode.Client(), Host: runner, Dir: dir,
		Tools: apple.Toolchain{Name: apple.Virtual, Reports: xcode.Reports()},
	})
	s := newSubject(t, r)
	s.open(t)
	close(orphan.exit)
	limit, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for orphan.agents.Load() == 1 { // until the host has seen the exit
		if err := s.look(limit); err != nil {
			t.Fatalf("the process is gone, its stream is still in use: %v", err)
		}
	}
}

// orphan is the first agent: on exit its process ends, but not what it started.
type orphan struct {
	exit   chan struct{}
	live   context.Context
	agents atomic.Int32
}

// heard passes on what a process says, as long as it lives.
type heard struct {
	to   io.Writer
	exit <-chan struct{}
}

func (h heard) Write(p []byte) (int, error) {
	select {
	case <-h.exit:
		return len(p), nil
	default:
		return h.to.Write(p)
	}
}

func (o *orphan) leaveBehind(main host.Main) host.Main {
	return func(ctx context.Context, in host.Invocation) int {
		if !slices.Contains(in.Args, "test-without-building") || o.agents.Add(1) > 1 {
			return main(ctx, in)
		}
		in.Stdout, in.Stderr = heard{in.Stdout, o.exit}, io.Discard
		go main(o.live, in)
		select {
		case <-ctx.Done():
		case <-o.exit:
		}
		return 0
	}
}
