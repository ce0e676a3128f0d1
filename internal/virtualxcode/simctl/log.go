package simctl

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// exitLogUsage is log's exit status for wrong arguments.
const exitLogUsage = 64

// logProgram is the program log on a device.
func logProgram(ctx context.Context, c *call, d world.Device) error {
	run, err := word(c, map[string]func(*call, context.Context, world.Device) error{
		"stream": (*call).streamLog, "show": (*call).showLog,
	})
	if err != nil {
		return c.logUsage("log: only stream and show are supported by Virtual Xcode")
	}
	return run(c, ctx, d)
}

func (c *call) logUsage(text string) error {
	fmt.Fprintln(c.Stderr, text)
	return exitStatus(exitLogUsage)
}

func (c *call) showLog(_ context.Context, d world.Device) error {
	r, err := c.logReader(d, showsLog())
	if err != nil {
		return err
	}
	entries, _, _, err := c.world.Logs(d.UDID, 0)
	if err != nil {
		return err
	}
	p := logPrinter{call: c, logReader: r}
	p.past()
	p.print(entries)
	p.close()
	if r.style.count {
		fmt.Fprintf(c.Stdout, "{\"count\":%d,\"finished\":1}\n", p.printed)
	}
	return nil
}

// streamLog prints new entries until an interrupt or until the device is no longer booted.
func (c *call) streamLog(ctx context.Context, d world.Device) error {
	r, err := c.logReader(d, streamsLog())
	if err != nil {
		return err
	}
	death, dies := c.world.TakeFault(d.UDID, flaw.LogStreamDies)
	noise := c.flood(d)
	_, next, more, err := c.world.Logs(d.UDID, 0)
	if err != nil {
		return err
	}
	p := logPrinter{call: c, logReader: r}
	if r.text != "" {
		p.filtering()
	}
	p.open()
	defer p.close()
	left := 0
	if dies {
		if left = death.Int("lines"); left == 0 {
			return exitStatus(exitFailed)
		}
	}
	for over := false; !over; {
		over = c.world.Await(ctx, more) != nil
		heard := next
		var entries []world.Entry
		if entries, next, more, err = c.world.Logs(d.UDID, heard); err != nil {
			return nil // the device was deleted
		}
		if next-len(entries) > heard { // more entries than a device keeps
			p.dropped()
		}
		if dies {
			entries = r.firstWanted(entries, left)
			left -= len(entries)
		}
		p.print(append(entries, noise.due()...))
		if dies && left == 0 {
			return exitStatus(exitFailed)
		}
		if _, err := c.world.Foreground(d.UDID); err != nil {
			return nil
		}
	}
	return nil
}

// flood is an app that logs continuously. Its entries are in no device's log, so they cost only the reader.
type flood struct {
	rate  int // lines per second; 0 means no flood
	app   world.InstalledApp
	began time.Time
	said  int
	now   func() time.Time
}

// flood starts one if a fault asks for it.
func (c *call) flood(d world.Device) *flood {
	f := &flood{began: time.Now(), now: c.world.Now}
	hit, is := c.world.TakeFault(d.UDID, flaw.LogStreamFloods)
	if !is {
		return f
	}
	apps, _ := c.world.Apps(d.UDID) // a deleted device has no stream either
	for _, a := range apps {
		if a.State == world.RunningForeground {
			f.app, f.rate = a, hit.Int("lines")
		}
	}
	return f
}

// due returns the entries since the last call.
func (f *flood) due() (lines []world.Entry) {
	for until := int(time.Since(f.began).Seconds() * float64(f.rate)); f.said < until; f.said++ {
		lines = append(lines, world.Entry{
			Time: f.now(), Level: world.LevelDefault, Process: f.app.Executable, PID: f.app.PID, Subsystem: f.app.BundleID, Category: "flood",
			Message: fmt.Sprintf("line %d of many, request %x took %d ms", f.said, f.said*7919, f.said%97),
		})
	}
	return lines
}

// HostLog is the program log on the Mac itself. Its log is empty: show prints only a heading, and stream waits until an interrupt or
// its timeout.
func HostLog(ctx context.Context, w *world.World, of tool.Call) int {
	c := &call{of, w}
	verb, err := c.take()
	if err != nil || verb != "show" && verb != "stream" {
		_ = c.logUsage("log: only stream and show are supported by Virtual Xcode")
		return exitLogUsage
	}
	verbs := map[string]logVerb{"show": showsLog(), "stream": streamsLog()}
	r, err := c.logReader(world.Device{}, verbs[verb])
	if err != nil {
		return exitLogUsage
	}
	p := logPrinter{call: c, logReader: r}
	defer p.close()
	if verb == "show" {
		p.past()
		return 0
	}
	if r.text != "" {
		p.filtering()
	}
	p.open()
	if r.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.timeout)
		defer cancel()
	}
	<-ctx.Done()
	return 0
}
