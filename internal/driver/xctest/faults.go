package xctest

import (
	"errors"
	"slices"
	"strings"

	"ios-agent/internal/apple/appbundle"
	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
)

// toolFault gives a code to an error of one of Apple's tools.
func toolFault(err error) error { return toolfault.Of(err) }

// refused turns an error of simctl into a fault of the given code, with simctl's own words. The state in the error shows that a device
// is off; its domain and code show that an app is unknown.
func (p *phone) refused(err error, code fault.Code) error {
	var no *simctl.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &no):
		return toolFault(err)
	case no.State() == "Shutdown":
		return fault.New(fault.DeviceNotBooted, "%s is not booted: %w", p.info.Name, err).WithHint("boot it: %s",
			hint.Do("boot_device", "udid", p.info.UDID))
	case no.Domain == "FBSOpenApplicationServiceErrorDomain" && no.Code == 4:
		return fault.New(fault.AppNotFound, "simctl cannot open the app on %s: %w", p.info.Name, err)
	}
	f := fault.New(code, "%s: %w", p.info.Name, err).With("domain", no.Domain).With("code", no.Code)
	if code == fault.BootFailed && no.Underlying != nil && strings.Contains(no.Underlying.Message, "could not bind to session") {
		f = f.WithHint("log in at the Mac's screen or through Screen Sharing: simulators do not boot for a user who is logged in over SSH only. "+
			"If the user is logged in, boot it again: %s", hint.Do("boot_device", "udid", p.info.UDID))
	}
	return f
}

// stateOf is the device state in simctl's error, or "".
func stateOf(err error) string {
	var no *simctl.Error
	if errors.As(err, &no) {
		return no.State()
	}
	return ""
}

// agentCodes maps the agent's codes to fault codes.
var agentCodes = map[agentwire.Code]fault.Code{
	agentwire.CodeNotFound:      fault.ElementNotFound,
	agentwire.CodeNotHittable:   fault.ElementUnhittable,
	agentwire.CodeUnstable:      fault.ElementUnstable,
	agentwire.CodeStale:         fault.RefExpired,
	agentwire.CodeUnsupported:   fault.Unsupported,
	agentwire.CodeBadRequest:    fault.InvalidInput,
	agentwire.CodeAppNotRunning: fault.AppNotRunning,
	agentwire.CodeNoFocus:       fault.NoFocus,
	agentwire.CodeUnauthorized:  fault.AgentFailed,
	agentwire.CodeNotInFront:    fault.AppNotInFront,
}

// guardCodes maps the codes of a guard that found another screen or element than it expected.
var guardCodes = []agentwire.Code{agentwire.CodeStale, agentwire.CodeUnstable, agentwire.CodeNotHittable, agentwire.CodeNotInFront}

// agentFault gives a code to an error of the agent. The agent sends the codes in agentCodes before it acts. Any other error, such as an
// exception, may come in the middle of a text; the outcome of an input is then unknown.
func agentFault(err error, e effect) error {
	var no *agentwire.AgentError
	if !errors.As(err, &no) {
		return err
	}
	code, refused := agentCodes[no.Code]
	switch {
	case no.Acted:
		return errActed
	case e == guards && slices.Contains(guardCodes, no.Code):
		return &device.RefusedError{Code: code, Cause: err}
	case refused:
		return fault.New(code, "%w", err).WithDispatch(fault.NotDispatched)
	case e != reads:
		return fault.New(fault.OutcomeUnknown, "the agent failed during the input: %w", err).WithDispatch(fault.MaybeDispatched)
	}
	return fault.New(fault.AgentFailed, "%w", err).WithDispatch(fault.NotDispatched)
}

// errActed means that the agent sent the input of an Act but could not read the screen after it.
var errActed = errors.New("the input was sent, but the screen could not be read after it")

// unsent is the error of a request that was never sent.
func unsent(err error) error { return fault.From(err).WithDispatch(fault.NotDispatched) }

// bundleIDOf reads the bundle id from an app folder, so that a wrong path fails before a tool runs.
func bundleIDOf(app string) (string, error) {
	info, err := appbundle.Read(app)
	var content *appbundle.InfoError
	switch {
	case errors.As(err, &content):
		return "", fault.New(fault.AppInstallFailed, "%w", err)
	case err != nil:
		return "", fault.New(fault.PathError, "%w", err)
	case info.Mac:
		return "", fault.New(fault.PathError, "%s is an app for macOS, not for this device", app)
	case info.ID == "":
		return "", fault.New(fault.AppInstallFailed, "%s/Info.plist has no CFBundleIdentifier", app)
	}
	return info.ID, nil
}

// signingError is xcodebuild's message when it cannot sign; "" for other errors.
func signingError(r host.Result) string {
	for line := range strings.Lines(string(r.Stdout) + "\n" + string(r.Stderr)) {
		if xcodebuild.IsSigningError(line) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// unsigned is the fault of an agent that cannot be signed.
func unsigned(team, why string) *fault.Fault {
	f := fault.New(fault.SigningFailed, "cannot sign the agent with team %s: %s", team, why)
	return f.WithHint("in Xcode, Settings, Accounts: sign in with an account of team %s; a new device is registered when Xcode runs any app "+
		"on it once. Then try again: %s", team, hint.Do("agent_start"))
}
