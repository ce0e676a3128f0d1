package xctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"howett.net/plist"

	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// noSuchUtility is how xcrun exits when the tool it is to run is not there: the command line tools without Xcode.
const noSuchUtility = 72

// toolFault gives a code to an error of running one of Apple's tools.
func toolFault(err error) error {
	var missing *host.NotFoundError
	var exit *host.ExitError
	var late *host.TimeoutError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &missing):
		return fault.New(fault.NoXcode, "%s is not installed: %w", missing.Name, err)
	case errors.As(err, &exit) && exit.Code == noSuchUtility && filepath.Base(exit.Name) == "xcrun":
		return fault.New(fault.NoXcode, "there is no usable Xcode: %w", err)
	case errors.As(err, &late):
		return fault.New(fault.Timeout, "%s: %w", filepath.Base(late.Name), err)
	case errors.As(err, &exit):
		return fault.New(fault.ToolFailed, "%s: %w", filepath.Base(exit.Name), err).With("stderr", exit.StderrTail)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fault.New(fault.ToolFailed, "a tool's answer cannot be used: %w", err)
}

// refused turns an error of simctl into a fault of the given code, with simctl's own words. A device that is off is known by
// its state, an unknown app by the domain and code that simctl gives.
func (p *phone) refused(err error, code fault.Code) error {
	var no *simctl.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &no):
		return toolFault(err)
	case no.State() == "Shutdown":
		return fault.New(fault.DeviceNotBooted, "%s is not booted: %w", p.info.Name, err).WithHint("boot it: `ios-agent boot --udid %s`",
			p.info.UDID)
	case no.Domain == "FBSOpenApplicationServiceErrorDomain" && no.Code == 4:
		return fault.New(fault.AppNotFound, "simctl cannot open the app on %s: %w", p.info.Name, err)
	}
	return fault.New(code, "%s: %w", p.info.Name, err).With("domain", no.Domain).With("code", no.Code)
}

// stateOf is the device state that simctl's refusal names, if it names one.
func stateOf(err error) string {
	var no *simctl.Error
	if errors.As(err, &no) {
		return no.State()
	}
	return ""
}

// agentCodes are our codes for the agent's.
var agentCodes = map[agentwire.Code]fault.Code{
	agentwire.CodeNotFound:      fault.ElementNotFound,
	agentwire.CodeNotHittable:   fault.ElementUnhittable,
	agentwire.CodeUnstable:      fault.ElementUnstable,
	agentwire.CodeStale:         fault.RefExpired,
	agentwire.CodeUnsupported:   fault.Unsupported,
	agentwire.CodeBadRequest:    fault.InvalidInput,
	agentwire.CodeAppNotRunning: fault.AppNotRunning,
	agentwire.CodeNoFocus:       fault.NoFocus,
}

func agentFault(err error) error {
	var no *agentwire.AgentError
	if !errors.As(err, &no) {
		return err
	}
	code, ok := agentCodes[no.Code]
	if !ok {
		code = fault.AgentFailed
	}
	return fault.New(code, "%w", err).WithDispatch(fault.NotDispatched)
}

// bundleIDOf reads the bundle id from an app folder, so that a wrong path fails before a tool is run.
func bundleIDOf(app string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(app, "Info.plist"))
	if errors.Is(err, os.ErrNotExist) {
		return "", fault.New(fault.PathError, "%s is not an app: it has no Info.plist", app)
	}
	if err != nil {
		return "", fault.New(fault.PathError, "reading the app: %w", err)
	}
	var info struct {
		ID string `plist:"CFBundleIdentifier"`
	}
	if _, err := plist.Unmarshal(raw, &info); err != nil {
		return "", fault.New(fault.AppInstallFailed, "%s: %w", filepath.Join(app, "Info.plist"), err)
	}
	if info.ID == "" {
		return "", fault.New(fault.AppInstallFailed, "%s names no CFBundleIdentifier", fmt.Sprintf("%s/Info.plist", app))
	}
	return info.ID, nil
}
