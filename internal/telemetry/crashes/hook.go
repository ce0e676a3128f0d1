package crashes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/private"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/wholefile"
	"ios-agent/internal/telemetry"
)

// Hook is a program that runs for each new crash: an argument vector, never a shell line. It gets the Crash as JSON on its standard
// input. A nil Hook does nothing. The hook is stored in a file that only the user can read.
type Hook struct {
	File string // the file that stores it
	Dir  string // working directory of the program
	Run  host.Runner

	mu      sync.Mutex
	runs    int       // running programs
	waiting []waiting // crashes that wait for a free run, in their order
	missed  int       // crashes of a flood beyond the waiting ones
	closed  bool
	wg      sync.WaitGroup
	cancel  context.CancelFunc
	ctx     context.Context
}

const (
	hookTime   = 60 * time.Second
	hookOutput = 64 << 10
	mostHooks  = 4 // in parallel: an app that crashes at each start must not fill the machine
	mostWaits  = 100
	mostArgv   = 64
	mostArg    = 4096
	mostFile   = 1 << 20
)

// waiting is a crash without a run so far.
type waiting struct {
	crash []byte
	feed  *telemetry.Feed
}

// say logs the outcome of a run.
func (w waiting) say(format string, args ...any) {
	w.feed.Add(telemetry.Entry{Time: time.Now(), Process: "ios-agent", Level: telemetry.Warning, Source: telemetry.Server,
		Message: fmt.Sprintf("the crash hook "+format, args...)})
}

// hookFile is the content of the file.
type hookFile struct {
	Argv []string `json:"argv"`
}

// Argv is the program with its arguments; empty without a hook.
func (h *Hook) Argv() ([]string, error) {
	if h == nil {
		return nil, nil
	}
	err := private.ClosedFile(h.File)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var data []byte
	if err == nil {
		data, err = regularfile.Read(h.File, mostFile)
	}
	var f hookFile
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		return nil, fault.New(fault.PathError, "cannot read the crash hook in %s: %w", h.File, err).
			WithHint("remove it: %s", hint.Do("remove_crash_hook"))
	}
	return f.Argv, nil
}

// Set stores the program to run. It refuses a missing program, or a program that another user could change.
func (h *Hook) Set(argv []string) error {
	switch {
	case len(argv) == 0 || argv[0] == "":
		return fault.New(fault.InvalidInput, "the crash hook needs a program").With("field", "argv").
			WithHint("name a program and its arguments: %s", hint.Do("set_crash_hook", "argv", []string{"PROGRAM", "ARGUMENT"}))
	case len(argv) > mostArgv:
		return fault.New(fault.TooLarge, "a crash hook has at most %d arguments, not %d", mostArgv, len(argv)).With("field", "argv")
	}
	for _, a := range argv {
		if len(a) > mostArg || strings.ContainsRune(a, 0) {
			return fault.New(fault.TooLarge, "an argument of a crash hook has at most %d bytes, and none of them is zero", mostArg).
				With("field", "argv")
		}
	}
	path := host.Find(argv[0])
	if path == "" {
		return fault.New(fault.ToolMissing, "cannot find the program %.80q", argv[0]).
			WithHint("give its absolute path; no shell expands it")
	}
	if path, err := filepath.Abs(path); err == nil { // the daemon's PATH may change
		argv = append([]string{path}, argv[1:]...)
	}
	if err := private.Program(argv[0]); err != nil {
		return fault.During("the crash hook", err)
	}
	data, err := json.Marshal(hookFile{argv})
	if err == nil {
		err = wholefile.Write(h.File, data)
	}
	if err != nil {
		return fault.During("cannot store the crash hook", err)
	}
	return nil
}

// Remove removes the hook, if it is set.
func (h *Hook) Remove() error {
	if err := os.Remove(h.File); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fault.During("cannot remove the crash hook", err)
	}
	return nil
}

// Tell runs the program for a crash without waiting for it. A failure becomes an entry. If too many crashes wait already, the program
// does not run for this one, and a later entry has the number of such crashes.
func (h *Hook) Tell(crash []byte, to *telemetry.Feed) {
	if h == nil {
		return
	}
	if argv, err := h.Argv(); err == nil && len(argv) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return
	case len(h.waiting) == mostWaits:
		h.missed++
		return
	}
	h.waiting = append(h.waiting, waiting{crash, to})
	if h.runs == mostHooks {
		return
	}
	if h.ctx == nil {
		h.ctx, h.cancel = context.WithCancel(context.Background())
	}
	h.runs++
	h.wg.Go(h.work)
}

// work runs the program for the waiting crashes, one after the other.
func (h *Hook) work() {
	for {
		next, is := h.next()
		if !is {
			return
		}
		if err := h.run(next.crash); err != nil && h.ctx.Err() == nil {
			next.say("%v", err)
		}
	}
}

// next is the longest waiting crash; the last crash of a flood carries the number of skipped ones.
func (h *Hook) next() (w waiting, is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.waiting) == 0 {
		h.runs--
		return waiting{}, false
	}
	w, h.waiting = h.waiting[0], h.waiting[1:]
	if len(h.waiting) == 0 && h.missed > 0 {
		w.say("was not run for %d crashes: %d were waiting already", h.missed, mostWaits)
		h.missed = 0
	}
	return w, true
}

// run runs the current program. It checks again that no other user can change the program, because Set may be long ago.
func (h *Hook) run(crash []byte) error {
	argv, err := h.Argv()
	if err == nil && len(argv) == 0 {
		return nil
	}
	if err == nil {
		err = private.Program(argv[0])
	}
	if err != nil {
		return fmt.Errorf("was not run: %w", err)
	}
	_, err = h.Run.Run(h.ctx, host.Cmd{Name: argv[0], Args: argv[1:], Dir: h.Dir, Stdin: bytes.NewReader(crash), Timeout: hookTime,
		MaxOutput: hookOutput})
	if err != nil {
		return fmt.Errorf("failed: %w", err)
	}
	return nil
}

// Wait returns when the started programs have ended.
func (h *Hook) Wait() { h.wg.Wait() }

// Close ends the running programs.
func (h *Hook) Close() error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	h.closed = true
	if h.cancel != nil {
		h.cancel()
	}
	h.mu.Unlock()
	h.wg.Wait()
	return nil
}
