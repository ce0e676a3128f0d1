package macapp

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// Keyboard is what of a simulator's keyboards Simulator's menu switches, in words for people.
type Keyboard string

// The two items of the menu.
const (
	Software Keyboard = "software keyboard"
	Hardware Keyboard = "connection of the hardware keyboard"
)

// held are the keys that are held with K for it, in AppleScript's words.
func (k Keyboard) held() string {
	if k == Hardware {
		return "{command down, shift down}"
	}
	return "command down"
}

// shower is the bundle id of the app of that name, which shows simulators.
func shower(app string) string {
	if app == "Simulator" {
		return "com.apple.iphonesimulator"
	}
	return "com.apple.dt.Devices"
}

// pressK presses K with other keys in the window of a device. What is of the caller's making are arguments, never script. The window
// of a device that was just shown takes a moment to be there.
const pressK = `on run {shower, device}
	repeat 30 times
		tell application "System Events"
			repeat with p in (every process whose bundle identifier is shower)
				repeat with w in (every window of p)
					set title to name of w
					if title is device or title starts with device & " –" or title starts with device & " -" then
						set frontmost of p to true
						perform action "AXRaise" of w
						keystroke "k" using %s
						return
					end if
				end repeat
			end repeat
		end tell
		delay 0.1
	end repeat
	error "no window shows " & device number 1
end run`

// toggleTimeout is for showing the window and pressing the keys.
const toggleTimeout = 30 * time.Second

// Toggle switches a keyboard of a simulator through the window that shows it: simctl cannot.
func (s *Service) Toggle(ctx context.Context, k Keyboard, udid, name string) error {
	app, err := s.ShowSimulators(ctx, udid)
	if err != nil {
		return err
	}
	_, err = s.o.Run.Run(ctx, host.Cmd{
		Name: s.o.Tools.Tool("osascript"), Args: []string{"-e", fmt.Sprintf(pressK, k.held()), shower(app), name}, Timeout: toggleTimeout,
	})
	if err == nil {
		return nil
	}
	f := fault.From(toolfault.New(err, fault.ToolFailed, "switching the "+string(k)+" of "+name))
	if f.Code != fault.ToolFailed {
		return f
	}
	return f.WithHint("the keys are pressed through System Events: let the program that runs ios-agent control this Mac, in System " +
		"Settings, Privacy & Security, Accessibility")
}
