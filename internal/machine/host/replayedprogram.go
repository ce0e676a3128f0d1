package host

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// noPID is the first id of replayed programs. No kernel gives such an id, so a signal that is sent to one by mistake reaches no process.
// Zero or a negative number would reach many processes.
const noPID = 1 << 30

// replayedProgram prints the output of its transcript at once. Where the transcript has a signal, or ends without an exit, it waits for a
// signal.
type replayedProgram struct {
	t     transcript
	cmd   Cmd
	stdin *discardedStdin // nil without input to read

	told     chan struct{} // a signal came
	once     sync.Once
	sig      unix.Signal // the first signal
	overdue  chan struct{}
	obedient bool // the recorded program ended after a signal

	end  ending
	gone chan struct{}
}

var _ program = (*replayedProgram)(nil)

// play has the action for each kind of event.
var play = map[string]func(p *replayedProgram, e event, to sink){
	isStdout: func(_ *replayedProgram, e event, to sink) { to(Stdout, e.bytes()) },
	isStderr: func(_ *replayedProgram, e event, to sink) { to(Stderr, e.bytes()) },
	isSent:   func(p *replayedProgram, e event, _ sink) { p.stay(e.Why) },
	isExit:   func(p *replayedProgram, e event, _ sink) { p.exit(e) },
	isFailed: func(*replayedProgram, event, sink) {}, // spawn returned it as the error
}

func newReplayedProgram(t transcript, c Cmd) *replayedProgram {
	p := &replayedProgram{t: t, cmd: c, told: make(chan struct{}), overdue: make(chan struct{}), gone: make(chan struct{})}
	if c.feeds() {
		p.stdin = &discardedStdin{closed: make(chan struct{})}
	}
	return p
}

func (p *replayedProgram) spawned(number int) spawned {
	s := spawned{program: p, pid: noPID + number, overdue: p.overdue}
	if p.stdin != nil { // otherwise the interface would hold a nil pointer
		s.stdin = p.stdin
	}
	return s
}

func (p *replayedProgram) deliver(to sink) {
	defer close(p.gone)
	for _, e := range p.t.Events {
		play[e.Is](p, e, to)
		if e.Is == isExit {
			return
		}
	}
	<-p.told
	p.end = p.killed()
}

// stay waits for the signal that the recorded program got here. Further signals have no effect: a program that ended only after the grace
// ends at once in a replay.
func (p *replayedProgram) stay(why string) {
	if why == whyTimeout && !p.obedient {
		close(p.overdue)
	}
	p.obedient = true
	<-p.told
}

func (p *replayedProgram) exit(e event) {
	p.end = ending{code: -1, signal: e.Signal, took: e.took()}
	if e.Code != nil {
		p.end.code = *e.Code
	}
	if !p.heardAll() {
		p.end = p.killed()
		return
	}
	p.end.err = writeOutputs(p.cmd, p.t.Outputs)
}

// heardAll waits for the end of the input if the recorded program had read all of it; false means that a signal came first.
func (p *replayedProgram) heardAll() bool {
	if p.obedient || p.stdin == nil || p.t.Stdin == nil || !p.t.Stdin.Ended {
		return true
	}
	select {
	case <-p.stdin.closed:
		return true
	case <-p.told:
		return false
	}
}

// killed is the end of a program whose transcript has no end.
func (p *replayedProgram) killed() ending {
	e := ending{code: -1, signal: signalName(p.sig)}
	if n := len(p.t.Events); n > 0 {
		e.took = p.t.Events[n-1].took()
	}
	return e
}

func (p *replayedProgram) wait() ending {
	<-p.gone
	return p.end
}

func (p *replayedProgram) signal(sig unix.Signal) {
	p.once.Do(func() {
		p.sig = sig
		close(p.told)
	})
}

func (p *replayedProgram) lives() bool { return open(p.gone) }

// discardedStdin accepts the input of a replayed program and drops it.
type discardedStdin struct {
	once   sync.Once
	closed chan struct{}
}

func (s *discardedStdin) Write(b []byte) (int, error) {
	select {
	case <-s.closed:
		return 0, os.ErrClosed
	default:
		return len(b), nil
	}
}

func (s *discardedStdin) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}
