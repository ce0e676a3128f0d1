package macapp

import (
	"context"
	"fmt"
	"time"

	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// Keyboard is a keyboard item of Simulator's menu, in words for people.
type Keyboard string

// The two items of the menu.
const (
	Software Keyboard = "software keyboard"
	Hardware Keyboard = "connection of the hardware keyboard"
)

// held are the modifier keys of the item's shortcut, in AppleScript's words; the key is K.
func (k Keyboard) held() string {
	if k == Hardware {
		return "{command down, shift down}"
	}
	return "command down"
}

// shower is the bundle id of the app with this name, which shows simulators.
func shower(app string) string {
	if app == "Simulator" {
		return "com.apple.iphonesimulator"
	}
	return "com.apple.dt.Devices"
}

// pressK presses K with modifier keys in the window of a device. Values of the caller are arguments of the script, never a part of its
// text. A new window of a device takes a moment to appear.
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

// toggleTimeout is the time limit to show the window and press the keys.
const toggleTimeout = 30 * time.Second

// Toggle switches a keyboard of a simulator through the simulator's window, because simctl cannot.
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
	f := fault.From(toolfault.New(err, fault.ToolFailed, "cannot switch the "+string(k)+" of "+name))
	if f.Code != fault.ToolFailed {
		return f
	}
	return f.WithHint("allow the program that runs ios-agent to control this Mac: System Settings, Privacy & Security, Accessibility")
}
