package debugger

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/go-dap"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

// Keep is a process between the daemon and a debugger, which forwards the messages of both. When the daemon stops or is killed, the input
// of the keeper closes; the keeper then detaches the debugger as the daemon would, so that the program survives. The keeper ends with the
// debugger, and at the latest after its deadlines.
type Keep struct {
	PID  int      // of the debugged program
	Way  string   // DAP or Prompt
	Argv []string // of the debugger

	// Farewell is the time limit of each step of the detach; Grace that of the debugger's exit after it.
	Farewell, Grace time.Duration
}

// exitKilled is the exit code of a keeper that had to kill its debugger.
const exitKilled = 125

// ownRequests is the first number of the keeper's own requests. The daemon's numbers are always lower.
const ownRequests = 1 << 30

// mostKept is the maximum number of requests that wait for a debugger that does not read; with more, the keeper detaches it.
const mostKept = 1024

func (k Keep) args() []string {
	return append([]string{strconv.Itoa(k.PID), k.Way, k.Farewell.String(), k.Grace.String()}, k.Argv...)
}

// longest is the time limit of a keeper's exit: its own limits, and a second for each step without a limit.
func (k Keep) longest() time.Duration { return 4*k.Farewell + k.Grace + 3*time.Second }

// ParseKeep reads the arguments of a keeper.
func ParseKeep(args []string) (k Keep, err error) {
	if len(args) < 5 {
		return k, fmt.Errorf("a keeper needs a process, a way, two durations and a debugger, but got %d arguments", len(args))
	}
	k.Way, k.Argv = args[1], args[4:]
	if k.PID, err = strconv.Atoi(args[0]); err != nil {
		return k, err
	}
	if k.Farewell, err = time.ParseDuration(args[2]); err != nil {
		return k, err
	}
	k.Grace, err = time.ParseDuration(args[3])
	return k, err
}

// keeper is a running Keep.
type keeper struct {
	Keep
	c       *connection
	born    string // start time of the program, to detect another process with its number
	started bool   // the start time is known

	mu       sync.Mutex
	seq      int
	waiting  map[int]chan struct{}
	attached bool // the daemon sent attach
	leaving  bool // the daemon sent disconnect
	runs     bool
	ended    bool              // the program has ended
	watching bool              // watchpoints may exist
	halted   chan struct{}     // closed when a SIGSTOP stops the program; leave makes a new one for its own SIGSTOP
	places   map[string][]byte // for each place with breakpoints, the request that removes them
}

// Run keeps a debugger until it has ended, and gives the exit code of this process.
func (k Keep) Run(start host.Starter, in io.Reader, out, complaints io.Writer) int {
	ways, err := waysOf(k.Way)
	if err != nil {
		fmt.Fprintln(complaints, err)
		return 1
	}
	w := &keeper{Keep: k, seq: ownRequests, waiting: map[int]chan struct{}{}, halted: make(chan struct{}), places: map[string][]byte{}}
	w.born, err = processes.StartTime(k.PID)
	w.started = err == nil
	cmd := host.Cmd{
		Name: k.Argv[0], Args: k.Argv[1:], Dir: "/", Grace: k.Grace, Inherit: []string{"*"}, // the daemon chose the environment
		OnOutput: func(_ host.Stream, b []byte) { _, _ = complaints.Write(b) },
	}
	w.c, err = connect(cmd, ways[0].prompt, 30*time.Second, func(c host.Cmd) (*host.Process, error) {
		return start.Start(context.Background(), c)
	})
	if err != nil {
		fmt.Fprintln(complaints, err)
		return 1
	}
	requests, alone := make(chan []byte, mostKept), make(chan struct{})
	go w.hear(in, requests, alone)
	go w.pass(requests)
	told := make(chan struct{})
	go func() { w.tell(out); close(told) }()
	select {
	case <-alone:
		w.leave(requests)
	case <-w.c.over:
	}
	<-told
	return exitOf(w.c.process)
}

func exitOf(p *host.Process) int {
	res, _ := p.Result()
	switch {
	case res.Signal == "SIGKILL":
		return exitKilled
	case res.ExitCode < 0:
		return 1
	}
	return res.ExitCode
}

// hear reads the daemon's requests until its input ends.
func (w *keeper) hear(in io.Reader, requests chan<- []byte, alone chan<- struct{}) {
	defer close(alone)
	for messages := bufio.NewReader(in); ; {
		raw, err := dap.ReadBaseMessage(messages)
		if err != nil {
			return // the end, or an incomplete message of a killed daemon
		}
		w.note(raw)
		select {
		case requests <- raw:
		default:
			return
		}
	}
}

// pass forwards requests to the debugger.
func (w *keeper) pass(requests <-chan []byte) {
	for {
		select {
		case raw := <-requests:
			if dap.WriteBaseMessage(w.c.input, raw) != nil {
				return
			}
		case <-w.c.over:
			return
		}
	}
}

// tell forwards the debugger's messages to the daemon. It keeps reading after the daemon has died: a debugger with a full pipe could not
// exit.
func (w *keeper) tell(out io.Writer) {
	for messages := bufio.NewReader(w.c.output); ; {
		raw, err := dap.ReadBaseMessage(messages)
		if err != nil {
			_, _ = io.Copy(io.Discard, messages)
			return
		}
		if !w.heard(raw) {
			_ = dap.WriteBaseMessage(out, raw)
		}
	}
}

// note records the effect of a request of the daemon.
func (w *keeper) note(raw []byte) {
	var r struct {
		Command   string
		Arguments struct {
			Source      json.RawMessage
			Expression  string
			Breakpoints []json.RawMessage
		}
	}
	if json.Unmarshal(raw, &r) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch r.Command {
	case "attach":
		w.attached = true
	case "evaluate":
		w.watching = w.watching || watches(strings.TrimPrefix(r.Arguments.Expression, asCommand))
	case "disconnect":
		w.leaving = true
	case "continue", "next", "stepIn", "stepOut":
		w.runs = true
	case "setBreakpoints", "setFunctionBreakpoints":
		place := r.Command + " " + string(r.Arguments.Source)
		if len(r.Arguments.Breakpoints) == 0 {
			delete(w.places, place)
			return
		}
		none := map[string]any{"breakpoints": []any{}}
		if len(r.Arguments.Source) > 0 {
			none["source"] = r.Arguments.Source
		}
		w.places[place], _ = json.Marshal(none)
	}
}

// heard records the effect of a message of the debugger, and reports whether it answers the keeper's own request.
func (w *keeper) heard(raw []byte) (ours bool) {
	var m incoming
	if json.Unmarshal(raw, &m) != nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case m.Type == "response" && m.RequestSeq >= ownRequests:
		if answer := w.waiting[m.RequestSeq]; answer != nil {
			delete(w.waiting, m.RequestSeq)
			close(answer)
		}
		return true
	case m.Event == "stopped":
		w.runs = false
		var stop dap.StoppedEventBody
		if json.Unmarshal(m.Body, &stop) == nil && strings.Contains(stop.Description, "SIGSTOP") {
			w.halt()
		}
	case m.Event == "continued":
		w.runs = true
	case m.Event == "exited" || m.Event == "terminated":
		w.ended = true
		w.halt()
	}
	return false
}

// halt marks the program as halted. The caller has the mutex.
func (w *keeper) halt() {
	select {
	case <-w.halted:
	default:
		close(w.halted)
	}
}

// leave detaches the debugger as Debugger.detach does. It first stops the program by SIGSTOP: while the program keeps meeting a false
// condition, lldb cannot halt it, and killing lldb would kill the program.
func (w *keeper) leave(requests chan<- []byte) {
	w.mu.Lock()
	talk, runs := w.attached && !w.leaving && !w.ended, w.runs
	places, watching := w.places, w.watching
	w.halted = make(chan struct{}) // attaching stops the program by SIGSTOP, too
	halted := w.halted
	w.mu.Unlock()
	if talk {
		if runs && w.traced() && processes.Suspend(w.PID) == nil {
			defer func() { _ = processes.Resume(w.PID) }()
			w.within(w.Farewell, halted)
		}
		var answers []chan struct{}
		if watching {
			remove, _ := json.Marshal(dap.EvaluateArguments{Expression: asCommand + unwatchAll, Context: "repl"})
			answers = append(answers, w.ask(requests, "evaluate", remove))
		}
		for place, none := range places {
			command, _, _ := strings.Cut(place, " ")
			answers = append(answers, w.ask(requests, command, none))
		}
		w.within(w.Farewell, answers...)
		w.within(w.Farewell, w.ask(requests, "disconnect", []byte(`{"terminateDebuggee":false}`)))
	}
	_ = w.c.process.Stop(context.Background()) // closes its input, and kills it after the grace
}

// traced reports whether the process is still the debugged program.
func (w *keeper) traced() bool {
	d, err := processes.Inspect(w.PID)
	return err == nil && d.Traced && d.User == os.Geteuid() && (!w.started || processes.Alive(w.PID, w.born))
}

// ask sends a request of the keeper; the answer closes the channel.
func (w *keeper) ask(requests chan<- []byte, command string, arguments []byte) chan struct{} {
	answer := make(chan struct{})
	w.mu.Lock()
	w.seq++
	seq := w.seq
	w.waiting[seq] = answer
	w.mu.Unlock()
	r := request{Request: dap.Request{Command: command}, Arguments: json.RawMessage(arguments)}
	r.Seq, r.Type = seq, "request"
	if raw, err := json.Marshal(r); err == nil {
		select {
		case requests <- raw:
		default: // the debugger does not read, and will not answer
		}
	}
	return answer
}

// within waits for all events, with one time limit for all of them.
func (w *keeper) within(limit time.Duration, events ...chan struct{}) {
	late := time.NewTimer(limit)
	defer late.Stop()
	for _, event := range events {
		select {
		case <-event:
		case <-w.c.over:
			return
		case <-late.C:
			return
		}
	}
}
