package host

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// noPID begins the ids of replayed programs: beyond what any kernel gives, so that a signal sent to one by mistake
// finds nobody. Zero or a negative number would find many.
const noPID = 1 << 30

// player is a program that says again what a transcript says it said, at once. It stays when it was told to leave at
// this point in the recording, or when the recording has no end, until it is told so again.
type player struct {
	t     transcript
	cmd   Cmd
	stdin *sponge // nil when there is no input to take

	told     chan struct{} // a signal came
	once     sync.Once
	sig      unix.Signal // the first
	overdue  chan struct{}
	obedient bool // the recorded end is that of a program that was told

	end  ending
	gone chan struct{}
}

var _ program = (*player)(nil)

// play is what each kind of event does.
var play = map[string]func(p *player, e event, to sink){
	isStdout: func(_ *player, e event, to sink) { to(Stdout, e.bytes()) },
	isStderr: func(_ *player, e event, to sink) { to(Stderr, e.bytes()) },
	isSent:   func(p *player, e event, _ sink) { p.stay(e.Why) },
	isExit:   func(p *player, e event, _ sink) { p.exit(e) },
	isFailed: func(*player, event, sink) {}, // was told instead of a start
}

func newPlayer(t transcript, c Cmd) *player {
	p := &player{t: t, cmd: c, told: make(chan struct{}), overdue: make(chan struct{}), gone: make(chan struct{})}
	if c.feeds() {
		p.stdin = &sponge{closed: make(chan struct{})}
	}
	return p
}

func (p *player) spawned(number int) spawned {
	s := spawned{program: p, pid: noPID + number, overdue: p.overdue}
	if p.stdin != nil { // else the interface would hold a nil pointer
		s.stdin = p.stdin
	}
	return s
}

func (p *player) deliver(to sink) {
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

// stay waits for the signal that was sent here. Further ones have no part: a program that left only after the grace
// leaves at once.
func (p *player) stay(why string) {
	if why == whyTimeout && !p.obedient {
		close(p.overdue)
	}
	p.obedient = true
	<-p.told
}

func (p *player) exit(e event) {
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

// heardAll waits for the end of the input if the program had it before it left; false says that a signal came sooner.
func (p *player) heardAll() bool {
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

// killed is the end of one that the recording knows no other of.
func (p *player) killed() ending {
	e := ending{code: -1, signal: signalName(p.sig)}
	if n := len(p.t.Events); n > 0 {
		e.took = p.t.Events[n-1].took()
	}
	return e
}

func (p *player) wait() ending {
	<-p.gone
	return p.end
}

func (p *player) signal(sig unix.Signal) {
	p.once.Do(func() {
		p.sig = sig
		close(p.told)
	})
}

func (p *player) lives() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// sponge takes the input of a player.
type sponge struct {
	once   sync.Once
	closed chan struct{}
}

func (s *sponge) Write(b []byte) (int, error) {
	select {
	case <-s.closed:
		return 0, os.ErrClosed
	default:
		return len(b), nil
	}
}

func (s *sponge) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}
