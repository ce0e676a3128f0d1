package axe

import "ios-agent/internal/virtualxcode/mark"

// Marks are the behaviours of AXe.
func Marks() []mark.Mark {
	return []mark.Mark{
		{Tool: "axe", Behaviour: "describe-ui: an array with one application, its elements flat below it; keys and their order",
			Source: mark.Observed("ui-describe/axe-describe-ui-tuist.json")},
		{Tool: "axe", Behaviour: "a wrong command line: Error, Usage and See lines, exit 64",
			Source: mark.Observed("ui-describe/axe-error-unknown-option.stderr.txt")},
		{Tool: "axe", Behaviour: "a tap is reported as completed whatever its effect; keys without a listener have no effect",
			Source: mark.Assumed},
		{Tool: "axe", Behaviour: "option names, limits and the words of errors, from the tool's public source; exit 1 when an element " +
			"does not match or matches several times", Source: mark.Assumed},
		{Tool: "axe", Behaviour: "a label or value of several elements selects a switch first, then a touchable element; --wait-timeout " +
			"looks again", Source: mark.Assumed},
		{Tool: "axe", Behaviour: "gesture presets; key codes of a US keyboard; ⌘A selects the text of a field; lock, side button, Siri " +
			"and Apple Pay change nothing", Source: mark.Assumed},
		{Tool: "axe", Behaviour: "describe-ui --point sees into a tab bar, describe-ui does not", Source: mark.Assumed},
		{Tool: "axe", Behaviour: "touch with only --down or only --up changes nothing; record-video and stream-video are refused",
			Source: mark.Assumed},
	}
}
