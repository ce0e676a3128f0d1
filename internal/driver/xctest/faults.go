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
	"ios-agent/internal/machine/host"
)

// toolFault gives a code to what running one of Apple's tools can end in.
func toolFault(err error) error { return toolfault.Of(err) }

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
	agentwire.CodeUnauthorized:  fault.AgentFailed,
	agentwire.CodeNotInFront:    fault.AppNotInFront,
}

// guardCodes are those of a guard that found something else than it should.
var guardCodes = []agentwire.Code{agentwire.CodeStale, agentwire.CodeUnstable, agentwire.CodeNotHittable, agentwire.CodeNotInFront}

// agentFault gives a code to what the agent answers. The codes in agentCodes are refusals: the agent gives them before it acts.
// Any other, an exception above all, may come when half a text is typed; the outcome of an input is unknown then.
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

// errActed means that the agent sent the input of an Act, and could not look at the screen after it.
var errActed = errors.New("the input was sent, but the screen was not seen after it")

// unsent is the error of a request that never left.
func unsent(err error) error { return fault.From(err).WithDispatch(fault.NotDispatched) }

// bundleIDOf reads the bundle id from an app folder, so that a wrong path is reported before a tool sees it.
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
		return "", fault.New(fault.AppInstallFailed, "%s/Info.plist names no CFBundleIdentifier", app)
	}
	return info.ID, nil
}

// signingError is what xcodebuild says when it cannot sign; empty when something else is wrong.
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
	f := fault.New(fault.SigningFailed, "the agent cannot be signed with team %s: %s", team, why)
	return f.WithHint("in Xcode, Settings, Accounts: sign in with an account of team %s; a new device is registered when Xcode runs any app "+
		"on it once. Then `ios-agent agent start` tries again", team)
}
