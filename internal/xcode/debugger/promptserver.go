package debugger

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-dap"

	"ios-agent/internal/text/lazyregexp"
)

// promptServer answers the Debug Adapter Protocol by commands of lldb's prompt: for Xcodes that have lldb and no lldb-dap. So both ways
// are one debugger to everybody else. It understands what this package asks, and nothing more.
type promptServer struct {
	lldb     *prompt
	to       io.Writer
	patience time.Duration
	changes  chan change

	threads map[int]int         // number of a thread by its id
	current int                 // number of the one that lldb has selected
	set     map[string]setPoint // by place
	parts   map[int][]dap.Variable
}

type setPoint struct {
	id        int
	condition string
	hit       string
	verified  bool
	pc        string
}

// mostChanges is how many changes of the process may wait to be told.
const mostChanges = 256

func newPromptServer(to io.Writer, patience time.Duration) *promptServer {
	s := &promptServer{
		to: to, patience: patience, changes: make(chan change, mostChanges), threads: map[int]int{}, set: map[string]setPoint{},
	}
	s.lldb = newPrompt(func(c change) {
		select {
		case s.changes <- c:
		default: // nobody can be so slow; the next question shows how the process is
		}
	})
	return s
}

// serve answers until there are no requests any more, or lldb has ended.
func (s *promptServer) serve(requests io.Reader) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	asked := make(chan []byte)
	go func() {
		defer close(asked)
		for r := bufio.NewReader(requests); ; {
			raw, err := dap.ReadBaseMessage(r)
			if err != nil {
				return
			}
			select {
			case asked <- raw:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case raw, more := <-asked:
			if !more {
				return
			}
			s.request(ctx, raw)
		case c := <-s.changes:
			s.tell(ctx, c)
		case <-s.lldb.over:
			s.rest(ctx)
			return
		}
	}
}

// rest tells what lldb said last.
func (s *promptServer) rest(ctx context.Context) {
	for {
		select {
		case c := <-s.changes:
			if c.kind != changeStopped {
				s.tell(ctx, c)
			}
		default:
			return
		}
	}
}

func (s *promptServer) say(message any) {
	if raw, err := json.Marshal(message); err == nil {
		_ = dap.WriteBaseMessage(s.to, raw)
	}
}

func (s *promptServer) event(name string, body any) {
	s.say(map[string]any{"type": "event", "event": name, "body": body})
}

// tell tells a change of the process as the protocol does.
func (s *promptServer) tell(ctx context.Context, c change) {
	switch c.kind {
	case changeExited:
		s.event("exited", dap.ExitedEventBody{ExitCode: c.status})
		s.event("terminated", nil)
	case changeDetached:
		s.event("terminated", nil)
	case changeResuming:
		s.event("continued", dap.ContinuedEventBody{AllThreadsContinued: true})
	case changeStopped:
		limited, cancel := context.WithTimeout(ctx, s.patience)
		defer cancel()
		all, err := s.list(limited)
		if err != nil || len(all) == 0 {
			return // it runs again
		}
		stop := dap.StoppedEventBody{Reason: "pause", ThreadId: all[0].id, AllThreadsStopped: true}
		for _, t := range all {
			if t.selected {
				stop.ThreadId, stop.Description = t.id, t.reason
			}
		}
		if hit := hitPoint.FindStringSubmatch(stop.Description); hit != nil {
			n, _ := strconv.Atoi(hit[1])
			stop.Reason, stop.HitBreakpointIds = "breakpoint", []int{n}
		}
		s.event("stopped", stop)
	}
}

var hitPoint = lazyregexp.New(`^breakpoint (\d+)`)

// request answers one request, unless lldb ended meanwhile: the connection's end then says more.
func (s *promptServer) request(ctx context.Context, raw []byte) {
	var r struct {
		dap.Request
		Arguments json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return
	}
	answer := map[string]any{"type": "response", "request_seq": r.Seq, "command": r.Command, "success": true}
	do, known := s.commands()[r.Command]
	if !known {
		do = func(context.Context, json.RawMessage) (any, error) {
			return nil, fmt.Errorf("lldb's prompt has no %s", r.Command)
		}
	}
	limited, cancel := context.WithTimeout(ctx, cmdLimit)
	defer cancel()
	body, err := do(limited, r.Arguments)
	if errors.Is(err, errGone) {
		return
	}
	if err != nil {
		answer["success"], answer["message"] = false, err.Error()
		if refused, is := err.(*refusedError); is {
			answer["message"] = refused.message
		}
	}
	answer["body"] = body
	s.say(answer)
	if r.Command == "attach" && err == nil {
		s.event("initialized", nil)
	}
}

// cmdLimit is how long a command may hold the prompt. Who asked has given up long before.
const cmdLimit = 10 * time.Minute

type handler = func(context.Context, json.RawMessage) (any, error)

func (s *promptServer) commands() map[string]handler {
	return map[string]handler{
		"initialize":             func(ctx context.Context, _ json.RawMessage) (any, error) { return nil, s.lldb.began(ctx, s.patience) },
		"configurationDone":      func(context.Context, json.RawMessage) (any, error) { return nil, nil },
		"attach":                 with(s.attach),
		"continue":               with(s.goes("process continue", false)),
		"next":                   with(s.goes("thread step-over", true)),
		"stepIn":                 with(s.goes("thread step-in", true)),
		"stepOut":                with(s.goes("thread step-out", true)),
		"pause":                  s.pause,
		"threads":                s.listThreads,
		"stackTrace":             with(s.stack),
		"scopes":                 with(s.scopes),
		"variables":              with(s.variables),
		"setBreakpoints":         with(s.lines),
		"setFunctionBreakpoints": with(s.functions),
		"evaluate":               with(s.evaluate),
		"disconnect":             s.disconnect,
	}
}

// with reads a request's arguments.
func with[T any](do func(context.Context, T) (any, error)) handler {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var in T
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, err
		}
		return do(ctx, in)
	}
}

func (s *promptServer) attach(ctx context.Context, in attachArguments) (any, error) {
	_, err := s.lldb.must(ctx, 0, fmt.Sprintf("process attach --pid %d", in.PID))
	return nil, err
}

// goes has the process run. lldb does not wait for its next stop. The thread is not selected before: of that lldb tells later, by
// itself, and reads a frame for it, which it then takes for the next stop's when the process runs meanwhile.
func (s *promptServer) goes(command string, ofThread bool) func(context.Context, dap.ContinueArguments) (any, error) {
	return func(ctx context.Context, in dap.ContinueArguments) (any, error) {
		line := command
		if n := s.threads[in.ThreadId]; n != 0 && ofThread {
			line = fmt.Sprintf("%s %d", command, n)
		}
		_, err := s.lldb.must(ctx, 0, line)
		return nil, err
	}
}

func (s *promptServer) pause(ctx context.Context, _ json.RawMessage) (any, error) {
	_, err := s.lldb.must(ctx, 0, "process interrupt")
	return nil, err
}

func (s *promptServer) disconnect(ctx context.Context, _ json.RawMessage) (any, error) {
	_, err := s.lldb.must(ctx, 0, "process detach")
	return nil, err
}

func (s *promptServer) evaluate(ctx context.Context, in dap.EvaluateArguments) (any, error) {
	command := strings.TrimPrefix(in.Expression, asCommand)
	if wants := wantsMore(command); wants != "" {
		return nil, &refusedError{"command", wants}
	}
	if in.FrameId != 0 {
		if err := s.selectFrame(ctx, in.FrameId); err != nil {
			return nil, err
		}
	}
	output, errors, err := s.lldb.run(ctx, command)
	return dap.EvaluateResponseBody{Result: output + errors}, err
}

// wantsMore says why a command cannot be run: it would take our next lines for its own.
func wantsMore(command string) string {
	words := strings.Fields(command)
	switch {
	case strings.ContainsAny(command, "\n\r"):
		return "lldb's prompt takes one line"
	case len(words) == 0:
		return "the command is empty"
	case len(words) == 1 && (strings.HasPrefix("expression", words[0]) || strings.HasPrefix("script", words[0]) && len(words[0]) > 1 ||
		words[0] == "p" || words[0] == "print" || words[0] == "call" || words[0] == "gui" || words[0] == "repl"):
		return words[0] + " would read further lines: write all in one, such as `expression 1 + 1`"
	case addsLines.MatchString(command) && !strings.Contains(command, " -o") && !strings.Contains(command, " --one-liner"):
		return "it would read further lines: give them with --one-liner"
	}
	return ""
}

var addsLines = lazyregexp.New(`\bcommand\s+add\b|\bstop-hook\s+add\b|\bcommand\s+regex\b|\bcommand\s+script\s+add\s*$`)
