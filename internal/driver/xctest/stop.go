package xctest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"ios-agent/internal/driver/agentwire"
)

const (
	leaveWait  = 10 * time.Second // for the agent to leave on request: its test passes, and xcodebuild writes its result bundle
	leaveGrace = 10 * time.Second // for an interrupted xcodebuild to end the runner and write its result
	closeWait  = 6 * time.Second  // for both, when the daemon stops
	stopWait   = 3 * time.Second
)

// stop ends the agent: by request, or else by interrupting xcodebuild, which then ends the runner. If xcodebuild has to be killed, stop
// ends the runner. When ctx ends, stop kills xcodebuild.
func (a *agent) stop(ctx context.Context) error {
	a.leave(ctx)
	a.use(nil)
	err := a.process.Stop(ctx)
	if r, _ := a.process.Result(); err == nil && r.Signal == "SIGKILL" && a.end != nil {
		ctx, cancel := context.WithTimeout(context.Background(), stopWait)
		defer cancel()
		a.end(ctx)
	}
	return errors.Join(err, a.clear())
}

// clear removes the files of the run. The files of an agent that did not start stay until the next one fails: the result bundle says why.
func (a *agent) clear() error {
	if a.failed == "" {
		return os.RemoveAll(a.derived)
	}
	err := errors.Join(os.RemoveAll(a.failed), os.MkdirAll(filepath.Dir(a.failed), 0o700))
	if err == nil {
		err = os.Rename(a.derived, a.failed)
	}
	return errors.Join(err, os.RemoveAll(a.derived))
}

// leave asks the agent to end its test, and waits for the end of xcodebuild.
func (a *agent) leave(ctx context.Context) {
	client := a.client()
	if client == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, leaveWait)
	defer cancel()
	if _, err := agentwire.Ask[*agentwire.OK](ctx, client, &agentwire.Shutdown{}); err != nil {
		return
	}
	select {
	case <-a.process.Done():
	case <-ctx.Done():
	}
}
