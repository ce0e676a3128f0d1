package connect

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// Program is a decider that is a program: it gets a Turn as a line of JSON on stdin and answers with a line of JSON on
// stdout. One process serves the whole run.
type Program struct {
	process  *host.Process
	in       *os.File
	lines    chan []byte
	left     chan struct{} // closed when nobody reads the lines any more
	patience time.Duration
	name     string
	told     bool // it was sent what stays the same
}

// DefaultPatience is how long a decider may think about one step.
const DefaultPatience = 2 * time.Minute

// closeGrace is how long a program may take to leave after the end of its input.
const closeGrace = time.Second

// ProgramOptions say what program decides.
type ProgramOptions struct {
	Argv     []string      // run without a shell
	Env      []string      // names of variables it gets besides those every program needs
	Patience time.Duration // how long it may think about one step; 0 is DefaultPatience
}

// programEnv is what a program needs to run. All else may be secret: passwords, the keys of other services.
func programEnv() []string {
	return []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TERM", "TMPDIR"}
}

// StartProgram starts it.
func StartProgram(ctx context.Context, h *host.Host, o ProgramOptions) (*Program, error) {
	argv := o.Argv
	if len(argv) == 0 {
		return nil, fault.New(fault.InvalidInput, "the program that decides has no name")
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fault.New(fault.Internal, "a pipe: %w", err)
	}
	defer r.Close() // the child has its own; with ours open, writing to a dead one would hang
	p := &Program{in: w, lines: make(chan []byte), left: make(chan struct{}), patience: cmp.Or(o.Patience, DefaultPatience), name: argv[0]}
	p.process, err = h.Start(ctx, host.Cmd{
		Name: argv[0], Args: argv[1:], Inherit: append(programEnv(), o.Env...), Stdin: r, OnLine: p.heard,
	})
	if err != nil {
		w.Close()
		return nil, fault.New(fault.DeciderFailed, "%s does not start: %w", argv[0], err).
			WithHint("it is run without a shell; name a program")
	}
	return p, nil
}

func (p *Program) heard(stream host.Stream, line []byte) {
	if stream != host.Stdout || len(bytes.TrimSpace(line)) == 0 {
		return
	}
	select {
	case p.lines <- bytes.Clone(line):
	case <-p.left:
	}
}

// Decide asks for one step. A program that is silent for too long is not asked again: what it says later would answer
// another question.
func (p *Program) Decide(ctx context.Context, t Turn) (Decision, error) {
	raw, err := json.Marshal(p.brief(t))
	if err != nil {
		return Decision{}, fault.New(fault.Internal, "encoding a turn: %w", err)
	}
	p.drain()
	if err := p.send(ctx, append(raw, '\n')); err != nil {
		return Decision{}, err
	}
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	select {
	case line := <-p.lines:
		return ParseDecision(line)
	case <-p.process.Done():
		return Decision{}, p.died()
	case <-timer.C:
		return Decision{}, fault.New(fault.DeciderFailed, "%s has not answered in %s", p.name, p.patience).
			WithHint("give it more with --decide-timeout")
	case <-ctx.Done():
		return Decision{}, ctx.Err()
	}
}

// brief is a turn without what the program was sent in an earlier one: the actions and the instructions are twenty kilobytes.
func (p *Program) brief(t Turn) Turn {
	if p.told {
		t.Actions, t.Instructions = nil, ""
	}
	p.told = true
	return t
}

// send writes with a deadline: a program that does not read must not block us.
func (p *Program) send(ctx context.Context, line []byte) error {
	if err := p.in.SetWriteDeadline(time.Now().Add(p.patience)); err != nil {
		return fault.New(fault.Internal, "a pipe: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { p.in.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	_, err := p.in.Write(line)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case os.IsTimeout(err):
		return fault.New(fault.DeciderFailed, "%s does not read its input", p.name)
	}
	<-p.process.Done() // nobody else holds the other end
	return p.died()
}

// drain drops what the program said without being asked.
func (p *Program) drain() {
	for {
		select {
		case <-p.lines:
		default:
			return
		}
	}
}

// mostWords bounds how much of a dead program's stderr its fault repeats.
const mostWords = 500

func (p *Program) died() error {
	_, err := p.process.Result()
	how := "it ended"
	if err != nil {
		how = err.Error()
	}
	words := strings.TrimSpace(string(p.process.Tail(host.Stderr)))
	if len(words) > mostWords {
		words = "…" + words[len(words)-mostWords:]
	}
	message := fmt.Sprintf("%s left in the middle of the run: %s", p.name, firstLine(how))
	if words != "" && !strings.HasSuffix(message, words) {
		message += "; its last words: " + strings.ToValidUTF8(words, "�")
	}
	return fault.New(fault.DeciderFailed, "%s", message)
}

// Close ends the program by the end of its input, and then by force.
func (p *Program) Close() error {
	close(p.left)
	p.in.Close()
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-p.process.Done():
		return nil
	case <-timer.C:
		return p.process.Stop(context.Background())
	}
}
