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

// promptServer serves the Debug Adapter Protocol with commands of lldb's prompt, for Xcodes that have lldb but not lldb-dap. So the rest of
// the package uses both ways alike. It supports only the requests of this package.
type promptServer struct {
	lldb     *prompt
	to       io.Writer
	patience time.Duration
	changes  chan change

	threads map[int]int         // number of a thread by its id
	current int                 // number of lldb's selected thread
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

// mostChanges is the maximum number of changes of the process that wait to be reported.
const mostChanges = 256

func newPromptServer(to io.Writer, patience time.Duration) *promptServer {
	s := &promptServer{
		to: to, patience: patience, changes: make(chan change, mostChanges), threads: map[int]int{}, set: map[string]setPoint{},
	}
	s.lldb = newPrompt(func(c change) {
		select {
		case s.changes <- c:
		default: // drop the change: the next request shows the state of the process
		}
	})
	return s
}

// serve answers requests until their input or lldb ends.
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

// rest reports the last changes of an ended lldb.
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

// tell reports a change of the process as an event of the protocol.
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
			return // the process runs again
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

// request answers one request, unless lldb ends meanwhile: the adapter then reports the end of the connection.
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

// cmdLimit is the time limit of a command at the prompt. The limits of the callers are much shorter.
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

// with decodes a request's arguments.
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

// goes runs the process; lldb does not wait for its next stop. It must not select the thread before: lldb reports a selection later, with
// a frame that it reads then, and uses this frame for the next stop if the process has run meanwhile.
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

// wantsMore is the reason to refuse a command that would read the next lines of the input as its own; empty for other commands.
func wantsMore(command string) string {
	words := strings.Fields(command)
	switch {
	case strings.ContainsAny(command, "\n\r"):
		return "lldb's prompt accepts one line"
	case len(words) == 0:
		return "the command is empty"
	case len(words) == 1 && (strings.HasPrefix("expression", words[0]) || strings.HasPrefix("script", words[0]) && len(words[0]) > 1 ||
		words[0] == "p" || words[0] == "print" || words[0] == "call" || words[0] == "gui" || words[0] == "repl"):
		return words[0] + " would read further lines: write one line, such as `expression 1 + 1`"
	case addsLines.MatchString(command) && !strings.Contains(command, " -o") && !strings.Contains(command, " --one-liner"):
		return "the command would read further lines: give them with its option --one-liner"
	}
	return ""
}

var addsLines = lazyregexp.New(`\bcommand\s+add\b|\bstop-hook\s+add\b|\bcommand\s+regex\b|\bcommand\s+script\s+add\s*$`)
