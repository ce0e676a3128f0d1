package devicectl

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	ctl "ios-agent/internal/apple/devicectl"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/stream"
	"ios-agent/internal/fault"
)

// consoleWait is how long devicectl may take to launch an app whose console it follows.
const consoleWait = 20 * time.Second

// LaunchConsole launches an app through devicectl, which prints the app's output until it is interrupted and then ends the app. The pid
// is unknown if devicectl writes its document only at the end.
func (h *handset) LaunchConsole(ctx context.Context, bundleID string, how device.Launch, line func(string)) (device.Stream, int, error) {
	if err := device.CheckBundle(bundleID); err != nil {
		return nil, 0, err
	}
	dir, err := os.MkdirTemp("", "devicectl-") // mode 0700
	if err != nil {
		return nil, 0, fault.New(fault.PathError, "%w", err)
	}
	document := filepath.Join(dir, "launch.json")
	s, err := h.follow(ctx, bundleID, document, how, line)
	if err != nil {
		_ = os.RemoveAll(dir) // the system empties its temporary folder anyway
		return nil, 0, err
	}
	return newConsole(h, bundleID, dir, s), ctl.LaunchedPID(document), nil
}

func (h *handset) follow(ctx context.Context, bundleID, document string, how device.Launch, line func(string)) (*stream.Stream, error) {
	cmd, err := h.driver.tool().Console(h.info.UDID, bundleID, document, ctl.LaunchOptions{Args: how.Args, Env: how.Env})
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "%w", err)
	}
	return stream.Start(ctx, h.driver.host, stream.Program{
		Cmd: cmd, Remark: ctl.ConsoleRemark, Ready: ctl.ConsoleStarted, Wait: consoleWait,
		Explain: func(_ []byte, err error) error {
			if no := ctl.ReadRefusal(document); no != nil {
				err = no
			}
			return h.notLaunched(ctx, err, bundleID)
		},
	}, line)
}

// console is an app whose output devicectl prints.
type console struct {
	*stream.Stream
	close func() error
}

func newConsole(h *handset, bundleID, dir string, s *stream.Stream) *console {
	return &console{s, sync.OnceValue(func() error {
		err := errors.Join(s.Close(), os.RemoveAll(dir))
		if !s.Killed() {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), ctl.TerminateTimeout)
		defer cancel()
		return errors.Join(err, h.Terminate(ctx, bundleID))
	})}
}

// Close interrupts devicectl, which then ends the app. A devicectl that had to be killed could not do that, so Close ends the app.
func (c *console) Close() error { return c.close() }
