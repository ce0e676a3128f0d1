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
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
)

// Program is a decider process: it gets each Turn as a line of JSON on stdin and answers with a line of JSON on stdout. One process serves
// the whole run.
type Program struct {
	process  *host.Process
	in       *os.File
	lines    chan []byte
	left     chan struct{} // closed when the reader of the lines ends
	patience time.Duration
	name     string
	told     bool // the program has the constant parts of a turn
}

// DefaultPatience is the default time limit of a decider for one step.
const DefaultPatience = 2 * time.Minute

// closeGrace is how long a program may run after the end of its input.
const closeGrace = time.Second

// ProgramOptions configure a Program.
type ProgramOptions struct {
	Argv     []string      // run without a shell
	Env      []string      // names of further variables to pass on
	Patience time.Duration // time limit for one step; 0 is DefaultPatience
}

// programEnv are the variables that every program needs. All others may be secret: passwords, keys of other services.
func programEnv() []string {
	return []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TERM", "TMPDIR"}
}

// StartProgram starts the program.
func StartProgram(ctx context.Context, h *host.Host, o ProgramOptions) (*Program, error) {
	argv := o.Argv
	if len(argv) == 0 {
		return nil, fault.New(fault.InvalidInput, "the deciding program has no name")
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fault.New(fault.Internal, "cannot create a pipe: %w", err)
	}
	defer r.Close() // the child has its own; if ours stayed open, writing to a dead child would block
	p := &Program{in: w, lines: make(chan []byte), left: make(chan struct{}), patience: cmp.Or(o.Patience, DefaultPatience), name: argv[0]}
	p.process, err = h.Start(ctx, host.Cmd{
		Name: argv[0], Args: argv[1:], Inherit: append(programEnv(), o.Env...), Stdin: r, OnLine: p.heard,
	})
	if err != nil {
		w.Close()
		return nil, fault.New(fault.DeciderFailed, "%s does not start: %w", argv[0], err).
			WithHint("name a program; it runs without a shell")
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

// Decide asks for one step. A program that misses its deadline is out: its late answer would belong to another question.
func (p *Program) Decide(ctx context.Context, t Turn) (Decision, error) {
	raw, err := json.Marshal(p.brief(t))
	if err != nil {
		return Decision{}, fault.New(fault.Internal, "cannot encode a turn: %w", err)
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
			WithHint("raise %s", hint.Field("decide_timeout"))
	case <-ctx.Done():
		return Decision{}, ctx.Err()
	}
}

// brief is a turn without the constant parts, which the program got before: the actions and the instructions have twenty kilobytes.
func (p *Program) brief(t Turn) Turn {
	if p.told {
		t.Actions, t.Instructions = nil, ""
	}
	p.told = true
	return t
}

// send writes with a deadline, because a program that does not read would block us.
func (p *Program) send(ctx context.Context, line []byte) error {
	if err := p.in.SetWriteDeadline(time.Now().Add(p.patience)); err != nil {
		return fault.New(fault.Internal, "cannot write to a pipe: %w", err)
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
	<-p.process.Done() // no other process has the other end
	return p.died()
}

// drain drops output that came before the question.
func (p *Program) drain() {
	for {
		select {
		case <-p.lines:
		default:
			return
		}
	}
}

// mostWords is the maximum length of a dead program's stderr in a fault.
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
	message := fmt.Sprintf("%s exited during the run: %s", p.name, firstLine(how))
	if words != "" && !strings.HasSuffix(message, words) {
		message += "; its last output: " + strings.ToValidUTF8(words, "�")
	}
	return fault.New(fault.DeciderFailed, "%s", message)
}

// Close ends the program by closing its input, and then by force.
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
