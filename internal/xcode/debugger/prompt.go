package debugger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/text/lazyregexp"
)

// prompt is a running lldb with a text conversation, as a person has it: a line in, a text out. After each command, further lines make
// lldb write a mark into both outputs: "settings show prompt" shows the prompt, which has a number, and an unknown command gives an error
// with the same number. This needs no Python, which not every lldb has. Waiting for the prompt itself would not work, because lldb
// keeps it in a buffer until the next output.
type prompt struct {
	input *io.PipeWriter
	over  <-chan struct{}
	told  func(change)

	turn chan struct{} // held by one command at a time

	mu     sync.Mutex
	number int
	out    excerpt // since the last mark
	errs   excerpt
	line   []byte   // incomplete last line of the output
	skip   int      // number of stops that the answer repeats
	asking bool     // a command is running
	held   []change // changes during the command
	more   chan struct{}
}

// change is a message of lldb about a new state of the process.
type change struct {
	kind   string // stopped, resuming, exited or detached
	status int    // exit status
}

const (
	changeStopped  = "stopped"
	changeResuming = "resuming"
	changeExited   = "exited"
	changeDetached = "detached"
)

// The stored parts of the answer to one command: its beginning, and its end, which contains the mark.
const (
	mostHeard = 4 << 20
	mostEnd   = 64 << 10
)

// excerpt is the beginning and the end of a text.
type excerpt struct {
	begin, end []byte
	cut        bool // text between them is left out
}

func (e *excerpt) write(b []byte) {
	room := min(len(b), mostHeard-len(e.begin))
	e.begin = append(e.begin, b[:room]...)
	e.end = append(e.end, b[room:]...)
	if len(e.end) > 2*mostEnd { // copy only once per mostEnd bytes
		e.end, e.cut = slices.Clone(e.end[len(e.end)-mostEnd:]), true
	}
}

func (e *excerpt) reset() { *e = excerpt{} }

func (e *excerpt) String() string {
	between := ""
	if e.cut {
		between = "\n…\n"
	}
	return string(e.begin) + between + string(e.end)
}

func newPrompt(told func(change)) *prompt {
	return &prompt{told: told, turn: make(chan struct{}, 1), more: make(chan struct{}, 1)}
}

// mark is the prompt after the command with this number; missing is the name of an unknown command with this number.
func mark(n int) string    { return fmt.Sprintf("ios-agent-%d> ", n) }
func missing(n int) string { return fmt.Sprintf("iosagentmark%d", n) }

var (
	marks    = lazyregexp.New(`ios-agent-\d+> |^\(lldb\) `)
	ofUs     = lazyregexp.New(`^(iosagentmark\d+|settings set prompt ".*"|settings show prompt)$`)
	mistake  = lazyregexp.New(`(?m)^.*iosagentmark\d+.*\n?`)
	changing = lazyregexp.New(`^Process \d+ (stopped|resuming|detached|exited with status = (-?\d+))( and restarted)?`)
)

// heard receives output. Its caller must not call it concurrently.
func (p *prompt) heard(from host.Stream, b []byte) {
	p.mu.Lock()
	to := &p.errs
	if from == host.Stdout {
		to = &p.out
	}
	to.write(b)
	if from == host.Stdout {
		p.line = append(p.line, b...)
		for {
			line, rest, whole := bytes.Cut(p.line, []byte("\n"))
			if !whole {
				break
			}
			p.line = rest
			if c, is := p.change(line); is && len(p.held) < mostChanges {
				p.held = append(p.held, c)
			}
		}
		p.line = p.line[max(0, len(p.line)-mostValue):]
	}
	changes := p.due()
	p.mu.Unlock()
	for _, c := range changes {
		p.told(c)
	}
	select {
	case p.more <- struct{}{}:
	default:
	}
}

// due are the changes to report now; changes during a command are reported after it. LLDB reports "resuming" at the end of the command
// but a stop at once, so that a quick stop may come before its "resuming". The caller has the mutex.
func (p *prompt) due() []change {
	if p.asking {
		return nil
	}
	due := p.held
	p.held = nil
	return due
}

// asked ends a command.
func (p *prompt) asked() {
	p.mu.Lock()
	p.asking = false
	slices.SortStableFunc(p.held, func(a, b change) int { return cmp.Compare(a.rank(), b.rank()) })
	changes := p.due()
	p.mu.Unlock()
	for _, c := range changes {
		p.told(c)
	}
}

// rank orders "resuming" before all other changes.
func (c change) rank() int {
	if c.kind == changeResuming {
		return 0
	}
	return 1
}

// change parses a line of the output. The caller has the mutex.
func (p *prompt) change(line []byte) (change, bool) {
	m := changing.FindSubmatch(marks.ReplaceAll(line, nil))
	if m == nil || m[3] != nil { // lldb passed a signal on: the process runs
		return change{}, false
	}
	c := change{kind: string(m[1])}
	if m[2] != nil {
		c.kind = changeExited
		c.status, _ = strconv.Atoi(string(m[2]))
	}
	if c.kind == changeStopped && p.skip > 0 {
		p.skip--
		return change{}, false
	}
	return c, true
}

// run executes lines in lldb and gives their output and errors.
func (p *prompt) run(ctx context.Context, lines ...string) (output, errors string, err error) {
	return p.speak(ctx, 0, lines)
}

// must is run for lines that must succeed. Skip is the number of stops that the answer repeats.
func (p *prompt) must(ctx context.Context, skip int, lines ...string) (output string, err error) {
	output, errors, err := p.speak(ctx, skip, lines)
	if _, why, failed := strings.Cut(errors, "error:"); err == nil && failed {
		return "", &refusedError{lines[0], strings.TrimSpace(why)}
	}
	return output, err
}

func (p *prompt) speak(ctx context.Context, skip int, lines []string) (output, errors string, err error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return "", "", ctx.Err()
	}
	p.mu.Lock()
	p.number++
	n := p.number
	p.out.reset()
	p.errs.reset()
	p.skip, p.asking = skip, true
	p.mu.Unlock()
	defer p.asked()
	text := strings.Join(lines, "\n") + "\n" + missing(n) + "\nsettings set prompt \"" + mark(n) + "\"\nsettings show prompt\n"
	sent := make(chan error, 1)
	go func() { _, err := io.WriteString(p.input, text); sent <- err }()
	for {
		select {
		case err := <-sent:
			if err != nil {
				return "", "", p.gone(ctx)
			}
			sent = nil
		case <-p.more:
			if output, errors, done := p.answer(n, lines); done {
				return output, errors, nil
			}
		case <-p.over:
			return "", "", errGone
		case <-ctx.Done():
			return "", "", ctx.Err()
		}
	}
}

// errGone means that lldb has ended. The adapter knows how it ended.
var errGone = errors.New("lldb has ended")

// gone waits for the end of an lldb that has closed its input.
func (p *prompt) gone(ctx context.Context) error {
	select {
	case <-p.over:
		return errGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer is the output and the errors up to the mark; done reports whether both have the mark.
func (p *prompt) answer(n int, lines []string) (output, errors string, done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !strings.Contains(p.errs.String(), missing(n)) {
		return "", "", false
	}
	said := p.out.String()
	shown, _, done := strings.Cut(said, `= "`+mark(n)+`"`)
	if !done {
		return "", "", false
	}
	said = shown[:strings.LastIndexByte(shown, '\n')+1] // without the beginning of the mark's own line
	p.skip = 0
	var kept []string
	for line := range strings.Lines(said) {
		line = marks.ReplaceAllString(line, "")
		bare := strings.TrimRight(line, "\r\n")
		if ofUs.MatchString(bare) || slices.Contains(lines, bare) {
			continue // lldb echoes its input from a pipe
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, ""), mistake.ReplaceAllString(p.errs.String(), ""), true
}

// quoted is a text as one argument of a command of lldb: between quotes, with a backslash before quotes, backslashes and the backticks
// that would begin an expression.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`").Replace(text) + `"`
}

// began sets lldb up: no questions and no colours.
func (p *prompt) began(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, _, err := p.run(ctx, "settings set auto-confirm true", "settings set use-color false", "settings set stop-line-count-before 0",
		"settings set stop-line-count-after 0", "settings set stop-disassembly-display never")
	return err
}
