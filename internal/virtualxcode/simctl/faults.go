package simctl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// happens reports whether a fault happens to this run.
func (c *call) happens(name string) bool {
	_, yes := c.world.TakeFault(c.target(), name)
	return yes
}

// happensTo reports whether a fault happens to a device.
func (c *call) happensTo(d world.Device, name string) bool {
	_, yes := c.world.TakeFault(d.UDID, name)
	return yes
}

// trouble applies the faults that precede a run.
func (c *call) trouble(ctx context.Context) error {
	if c.happens(flaw.SimctlHang) {
		<-ctx.Done()
		return ctx.Err()
	}
	if slow, yes := c.world.TakeFault(c.target(), flaw.SimctlSlow); yes {
		if err := c.world.Sleep(ctx, slow.Seconds("seconds")); err != nil {
			return err
		}
	}
	if c.happens(flaw.SimctlConnectionInvalid) {
		c.complain("CoreSimulatorService connection became invalid.  Simulator services will no longer be available.")
		c.complain("Unable to locate device set: Error Domain=NSPOSIXErrorDomain Code=53 \"Software caused connection abort\" " +
			"UserInfo={NSLocalizedDescription=Error returned in reply from CoreSimulatorService: Connection invalid}")
		return &world.Error{Domain: "NSPOSIXErrorDomain", Code: 53, Message: "Software caused connection abort\nFailed to initialize " +
			"simulator device set."}
	}
	if c.happens(flaw.SimctlVersionMismatch) {
		c.complain("CoreSimulator detected version change.  Framework version (1051.9.4) does not match existing job version " +
			"(1051.17.8).  " +
			"Attempting to remove the stale service in order to add the expected version.")
		c.complain("Service version (1051.17.8) does not match expected service version (1051.9.4)")
	}
	return nil
}

// complain prints an error line of the tool's frameworks.
func (c *call) complain(text string) { complain(c.Stderr, c.world.Now(), text) }

func complain(to io.Writer, at time.Time, text string) {
	fmt.Fprintf(to, "%s simctl[20481:327696] %s\n", at.UTC().Format("2006-01-02 15:04:05.000"), text)
}

// ServiceDied prints the real tool's message for a service that dies during a run, and returns the exit status.
func ServiceDied(stderr io.Writer, now time.Time) int {
	complain(stderr, now, "CoreSimulatorService connection interrupted.  Resubscribing to notifications.")
	var apple *world.Error
	errors.As(world.ServerDied(), &apple)
	fmt.Fprint(stderr, format(apple))
	return status(apple.Code)
}

// firstWanted returns the first n matching entries.
func (r logReader) firstWanted(entries []world.Entry, n int) (out []world.Entry) {
	for _, e := range entries {
		if len(out) < n && r.wants(e) {
			out = append(out, e)
		}
	}
	return out
}
