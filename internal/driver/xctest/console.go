package xctest

import (
	"context"
	"errors"
	"sync"
	"time"

	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/stream"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

var (
	_ device.Logs    = (*phone)(nil)
	_ device.PastLog = (*phone)(nil)
	_ device.Console = (*phone)(nil)
)

// consoleWait is how long simctl may take to print the pid of an app whose console it follows.
const consoleWait = 10 * time.Second

// FollowLog follows the log through `log stream`.
func (p *phone) FollowLog(ctx context.Context, what device.LogFilter, line func(string)) (device.Stream, error) {
	how, err := stream.LogOptions(what)
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "%w", err)
	}
	if !what.On { // the stream of a simulator that is off may stay empty instead of failing
		if err := p.mustBeBooted(ctx); err != nil {
			return nil, err
		}
	}
	s, err := stream.Start(ctx, p.driver.Host, stream.Program{
		Cmd: p.driver.simctl().LogStream(p.info.UDID, how), Remark: simctl.LogHeading, Ready: simctl.LogHeading,
		Explain: p.refusedWith(fault.ToolFailed),
	}, line)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ShowLog prints the past of the log through `log show`.
func (p *phone) ShowLog(ctx context.Context, what device.LogFilter, since time.Time, line func(string)) error {
	how, err := stream.LogOptions(what)
	if err != nil {
		return fault.New(fault.InvalidInput, "%w", err)
	}
	cmd := p.driver.simctl().LogShow(p.info.UDID, how, since)
	cmd.Timeout, cmd.MaxOutput = -1, 64<<10 // ctx limits the time, and the lines go to the caller
	cmd.OnLine = func(from host.Stream, text []byte) {
		if from == host.Stdout {
			line(string(text))
		}
	}
	r, err := p.driver.Host.Run(ctx, cmd)
	if err != nil {
		return p.refusedWith(fault.ToolFailed)(r.Stderr, err)
	}
	return nil
}

// LogName returns the name of the app's executable: unified logging filters processes by it.
func (p *phone) LogName(ctx context.Context, bundleID string) (string, error) {
	p.mu.Lock()
	name := p.names[bundleID]
	p.mu.Unlock()
	if name != "" {
		return name, nil
	}
	apps, err := p.driver.simctl().Apps(ctx, p.info.UDID)
	if err != nil {
		return "", p.refused(err, fault.ToolFailed)
	}
	for _, a := range apps {
		if a.BundleID == bundleID {
			name = a.Executable()
		}
	}
	if name == "" {
		return "", fault.New(fault.AppNotFound, "%s is not installed on %s", bundleID, p.info.Name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names[bundleID] = name
	return name, nil
}

// LaunchConsole launches an app through simctl, which prints the app's output until it is interrupted and then ends the app.
func (p *phone) LaunchConsole(ctx context.Context, bundleID string, how device.Launch, line func(string)) (device.Stream, int, error) {
	if err := device.CheckBundle(bundleID); err != nil {
		return nil, 0, err
	}
	isPID := func(line string) bool { _, is := simctl.ConsolePID(line, bundleID); return is }
	s, err := stream.Start(ctx, p.driver.Host, stream.Program{
		Cmd:    p.changing().Console(p.info.UDID, bundleID, simctl.LaunchOptions{Args: how.Args, Env: how.Env}),
		Remark: isPID, Ready: isPID, Wait: consoleWait, Explain: p.refusedWith(fault.AppLaunchFailed),
	}, line)
	if err != nil {
		return nil, 0, err
	}
	shown := newConsole(p, bundleID, s)
	p.inFront(bundleID)
	pid, _ := simctl.ConsolePID(s.Said(), bundleID)
	return shown, pid, nil
}

// refusedWith makes the end of simctl a fault of the given code.
func (p *phone) refusedWith(code fault.Code) func(stderr []byte, err error) error {
	return func(stderr []byte, err error) error { return p.refused(simctl.Refusal(stderr, err), code) }
}

// console is an app whose output simctl prints.
type console struct {
	*stream.Stream
	close func() error
}

func newConsole(p *phone, bundleID string, s *stream.Stream) *console {
	return &console{s, sync.OnceValue(func() error {
		err := s.Close()
		if !s.Killed() {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), simctl.TerminateTimeout)
		defer cancel()
		return errors.Join(err, p.Terminate(ctx, bundleID))
	})}
}

// Close interrupts simctl, which then ends the app. A simctl that had to be killed could not do that, so Close ends the app.
func (c *console) Close() error { return c.close() }
