package reference

import (
	"fmt"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// Troubleshooting is the page for agents after a failure: recipes for the common cases, and all codes.
func Troubleshooting(c *op.Catalogue) string {
	var b strings.Builder
	b.WriteString("# Troubleshooting ios-agent\n")
	for _, r := range recipes() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", r.title, steps(c, r.steps...))
	}
	t := table{head: []string{"code", "meaning", "what to do", "exit"}}
	for _, f := range sortedCodes() {
		t.add(string(f), meaning(f), f.Hint(), fmt.Sprint(f.Exit()))
	}
	b.WriteString("\n## All fault codes\n\n" + t.String())
	return b.String()
}

type recipe struct {
	title string
	steps []phrase
}

func recipes() []recipe {
	return []recipe{
		{"The client runs in a sandbox (SANDBOXED)", []phrase{
			{"The client talks to a daemon over a unix socket in its home, `~/.ios-agent`, and starts it if needed. The message " +
				"names the path that the sandbox forbids."},
			{"Allow the sandbox that folder and its socket, or set `IOS_AGENT_HOME` to a folder it may write."},
			{"Or run `ios-agent daemon start` outside the sandbox and call it over HTTP with the key; `ios-agent daemon status` " +
				"names address and key file."},
		}},
		{"Xcode is missing (NO_XCODE, TOOL_MISSING)", []phrase{
			{"{doctor} names the tool that does not answer."},
			{"On a Mac, install Xcode and choose it: `sudo xcode-select -s /Applications/Xcode.app`."},
			{"Elsewhere, or to try things, set `IOS_AGENT_TOOLCHAIN=virtual`: virtual devices, marked as such in every answer. " +
				"Success there does not prove anything about a real device."},
		}},
		{"A ref is refused (REF_EXPIRED, ELEMENT_NOT_FOUND)", []phrase{
			{"No input was sent. The element is gone, or several elements fit; refs also end with the daemon."},
			{"Look at the candidates in the details. If one of them is meant, use its ref."},
			{"Else take a new {snapshot} and use a ref from it. A ref never moves to another element.",
				"Else look at the screen again and use a ref from there."},
		}},
		{"The outcome is unknown (OUTCOME_UNKNOWN)", []phrase{
			{"Do not repeat the action: it may have arrived, and a second one may buy twice."},
			{"Take a {snapshot}. If it shows the effect, go on; if it shows the state from before, repeat the action once.",
				"Look at the screen. If it shows the effect, go on; if not, repeat the action once."},
			{"If it happens again, {doctor} checks whether tools and agent answer."},
		}},
	}
}

// meaning explains a code. Most codes explain themselves; the table below has the rest.
func meaning(c fault.Code) string {
	if text, ok := inWords()[c]; ok {
		return text
	}
	return strings.ToLower(strings.ReplaceAll(string(c), "_", " "))
}

func inWords() map[fault.Code]string {
	return map[fault.Code]string{
		fault.InvalidInput:       "an input is missing, unknown, malformed or out of bounds",
		fault.UnknownOperation:   "no operation or route has that name",
		fault.TooLarge:           "the request is larger than the daemon reads",
		fault.Unauthorized:       "the HTTP key is missing or wrong",
		fault.Forbidden:          "the caller may not do this",
		fault.NoDevice:           "no device was named and none is booted",
		fault.DeviceNotFound:     "no device has that udid or name",
		fault.DeviceAmbiguous:    "several devices match",
		fault.AppNotFound:        "the app is not installed on the device",
		fault.ElementNotFound:    "no element on the screen fits",
		fault.ElementAmbiguous:   "several elements match; no input was sent",
		fault.ElementUnhittable:  "the element exists but cannot be touched",
		fault.ElementNotEditable: "the element does not take text",
		fault.RefExpired:         "the ref's element is gone or is ambiguous; no input was sent",
		fault.NoFocus:            "no field has the keyboard",
		fault.OutcomeUnknown:     "the input may or may not have arrived",
		fault.OutcomeUnchanged:   "the input was sent, a change was expected, nothing reacted",
		fault.GoalFailed:         "the deciding model or program gave up the goal",
		fault.LimitReached:       "a run reached its limit of steps or time",
		fault.DeciderFailed:      "the deciding program or model died, hung or gave no usable answer",
		fault.PathError:          "a file or folder cannot be used",
		fault.Unsupported:        "this device, driver or toolchain lacks the ability",
		fault.NoXcode:            "Apple's tools are missing or none is chosen",
		fault.ToolFailed:         "one of Apple's tools ended with an error",
		fault.ToolMissing:        "a program ios-agent needs is missing",
		fault.AgentFailed:        "the agent on the device does not start or does not answer",
		fault.DaemonUnreachable:  "the background process does not answer",
		fault.Sandboxed:          "the system forbids the client a path it needs",
		fault.Timeout:            "it took longer than the operation's time limit",
		fault.Cancelled:          "it was cancelled before it finished",
		fault.Internal:           "a bug in ios-agent",
	}
}
