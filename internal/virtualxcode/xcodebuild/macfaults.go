package xcodebuild

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/xcresult"
)

// unresolvable reports whether a real Mac could not find an existing destination.
func (t Tool) unresolvable(ctx context.Context, asked map[string]string) (bool, error) {
	name := ""
	switch {
	case asked["id"] != "" && asked["platform"] == "":
		name = flaw.IDAlone
	case asked["generic"] != "" && asked["platform"] == "iOS Simulator" && slices.Contains(t.Args, "build-for-testing"):
		name = flaw.GenericDestination
	default:
		return false, nil
	}
	happens, err := t.taken(ctx, "", name)
	return happens[name] != nil, err
}

// unready prints why xcodebuild does not work on a Mac in its first hour.
func (t Tool) unready(ctx context.Context) (exit int, unready bool) {
	happens, err := t.taken(ctx, "", flaw.CommandLineTools, flaw.LicenceNotAccepted)
	switch {
	case err != nil:
		return 0, false
	case happens[flaw.CommandLineTools] != nil:
		fmt.Fprint(t.Stderr, "xcode-select: error: tool 'xcodebuild' requires Xcode, but active developer directory "+
			"'/Library/Developer/CommandLineTools' is a command line tools instance\n")
		return 1, true
	case happens[flaw.LicenceNotAccepted] != nil:
		fmt.Fprint(t.Stderr, LicenceText)
		return exitNotReady, true
	}
	return 0, false
}

// stdoutBuffer is what a program of Apple's buffers when its standard output is a pipe.
const stdoutBuffer = 8 << 10

// heldBack returns standard output as a real Mac has it: in a pipe it waits for a full buffer or for the end, unless the environment says
// otherwise. release writes the rest.
func (t Tool) heldBack(ctx context.Context) (out io.Writer, release func()) {
	if t.Getenv("NSUnbufferedIO") == "YES" {
		return t.Stdout, func() {}
	}
	happens, err := t.taken(ctx, "", flaw.BuffersOutput)
	if err != nil || happens[flaw.BuffersOutput] == nil {
		return t.Stdout, func() {}
	}
	held := &lockedBuffer{w: bufio.NewWriterSize(t.Stdout, stdoutBuffer)}
	return held, held.flush
}

// lockedBuffer is a buffered writer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	w  *bufio.Writer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.w.Write(p)
}

func (b *lockedBuffer) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.w.Flush() // the reader may have left
}

// slowRunner lets the duration of a runner's start on a real Mac pass.
func (t Tool) slowRunner(ctx context.Context, udid string) error {
	happens, err := t.taken(ctx, udid, flaw.SlowRunnerStart)
	if err != nil || happens[flaw.SlowRunnerStart] == nil {
		return err
	}
	n, _ := strconv.Atoi(happens[flaw.SlowRunnerStart]["seconds"]) // validated when the fault was armed
	return t.Service.Sleep(ctx, time.Duration(n)*time.Second)
}

// slowBuild lets the duration of an agent build on a real Mac pass.
func (s *session) slowBuild(ctx context.Context) error {
	if s.Scheme.Name == "" || s.scheme.Name != s.Scheme.Name {
		return nil
	}
	happens, err := s.taken(ctx, "", flaw.SlowAgentBuild)
	if err != nil || happens[flaw.SlowAgentBuild] == nil {
		return err
	}
	n, _ := strconv.Atoi(happens[flaw.SlowAgentBuild]["seconds"]) // validated when the fault was armed
	return s.Service.Sleep(ctx, time.Duration(n)*time.Second)
}

// leavings are the files that a run of the agent leaves in the derived data.
type leavings struct {
	folder      string // folder of the logs; empty: no files
	diagnostics bool   // collect diagnostics after an unexpected end
}

// leave writes the result bundle of a run of the agent: below the requested folder or, on a real Mac, in a new one.
func (t Tool) leave(ctx context.Context, udid string, o options) (leavings, error) {
	happens, err := t.taken(ctx, udid, flaw.TemporaryDerivedData, flaw.CollectsDiagnostics)
	if err != nil {
		return leavings{}, err
	}
	l := leavings{diagnostics: happens[flaw.CollectsDiagnostics] != nil && o.diagnostics != "never"}
	root := o.derivedData
	if root == "" {
		if happens[flaw.TemporaryDerivedData] == nil && !l.diagnostics {
			return l, nil
		}
		unique := make([]byte, 6)
		_, _ = rand.Read(unique) // never fails
		root = filepath.Join(t.Getenv("HOME"), "Library/Developer/Xcode/DerivedData/temporary-"+hex.EncodeToString(unique))
	}
	l.folder = filepath.Join(t.Path(root), "Logs/Test")
	if err := os.MkdirAll(l.folder, 0o755); err != nil || o.resultBundle != "" {
		return l, err
	}
	name := fmt.Sprintf("Test-%s-%s.xcresult", t.Scheme.Name, time.Now().Format("2006.01.02_15-04-05--0700"))
	return l, xcresult.Write(filepath.Join(l.folder, name), xcresult.Bundle{Scheme: t.Scheme.Name, Title: "Testing with xctestrun " +
		filepath.Base(o.xctestrun)})
}

// collect writes the diagnostics of a failed run. Real diagnostics are large, and collecting them takes up to ten minutes.
func (l leavings) collect(udid string) error {
	if !l.diagnostics {
		return nil
	}
	folder := filepath.Join(l.folder, "simctl_diagnostics")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, strings.ToUpper(udid)+".log"), []byte("simctl diagnose\n"), 0o644)
}
