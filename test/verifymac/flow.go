package main

import "slices"

// part is some steps that show one ability.
type part struct {
	name   string
	breaks string // what does not work on a Mac if a step of it fails
	steps  []step
}

// step is one call of ios-agent, or of a tool.
type step struct {
	name  string
	args  []string
	code  int      // the exit code that is right
	says  []string // texts of which the answer must have one
	needs string   // a step without which this one cannot be tried
	fixed bool     // a replay gives the same answer: it only runs tools
	tool  string   // one of Apple's tools to call, and not ios-agent
	tries int      // how often it may be tried, a second apart; 0 is once
}

// Steps that nearly all others need.
const (
	needsSimulator = "boot"
	needsAgent     = "agent-start"
)

const (
	settingsApp = "com.apple.Preferences"
	mapsApp     = "com.apple.Maps"
)

// parts are one of everything the agent can do, on apps that every simulator has. Nothing of it needs a person: a system question is
// provoked and answered, no step relies on a keyboard on the screen, which a hardware keyboard hides, and none on the language of the Mac.
func (t *trial) parts() []part {
	on := []string{"--udid", t.simulator}
	return slices.Concat(t.before(on), inSettings(t), t.byIDB(), inMaps(t), t.onExample(), atTheEnd(), t.onDesktop())
}

func (t *trial) before(on []string) []part {
	return []part{
		{"Apple's tools", "nothing works: simulators are not found, booted or told about", []step{
			{name: "doctor", args: []string{"doctor"}, fixed: true},
			{name: "list-sims", args: []string{"list-sims"}, says: []string{t.simulator}, fixed: true},
			{name: "boot", args: append([]string{"boot"}, on...), fixed: true},
			{name: "list-apps", args: []string{"list-apps"}, says: []string{settingsApp}, needs: needsSimulator, fixed: true},
		}},
		{"The agent", "no screen is seen and nothing can be touched; building, installing, launching and logs still work", []step{
			{name: "agent-build", args: []string{"agent", "build"}},
			{name: "prepare", args: []string{"prepare"}, needs: needsSimulator},
			{name: "agent-start", args: []string{"agent", "start"}, needs: needsSimulator},
			{name: "agent-status", args: []string{"agent", "status"}, says: []string{t.simulator}, needs: needsAgent},
		}},
	}
}

func inSettings(t *trial) []part {
	general := []string{"About", "Software Update", "Keyboard"}
	return []part{
		{"Seeing", "screens are read wrongly or not at all, and refs lead nowhere", []step{
			{name: "settings", args: []string{"launch", settingsApp, "--args=-AppleLanguages", "--args=(en)"}, needs: needsSimulator},
			{name: "settings-screen", args: []string{"snapshot"}, says: []string{"General"}, needs: needsAgent},
			{name: "settings-picture", args: []string{"screenshot", "--out", t.picture("settings.png")}, needs: needsSimulator, fixed: true},
			{name: "no-alert", args: []string{"alert"}, needs: needsAgent},
		}},
		{"Touching", "taps, swipes and gestures do not arrive, or what they did is told wrongly", []step{
			{name: "tap", args: []string{"tap", "--label", "General"}, says: []string{"changed"}, needs: needsAgent},
			{name: "pushed", args: []string{"snapshot"}, says: general, needs: "tap"},
			{name: "double-tap", args: []string{"double-tap", "--type", "NavigationBar"}, needs: "tap"},
			{name: "back", args: []string{"back"}, needs: "tap"},
			{name: "swipe", args: []string{"swipe", "--direction", "up"}, needs: needsAgent},
			{name: "swipe-back", args: []string{"swipe", "--direction", "down"}, needs: needsAgent},
		}},
		{"Typing", "text does not arrive in fields, above all with a hardware keyboard connected", []step{
			{name: "search-field", args: []string{"tap", "--type", "SearchField"}, needs: needsAgent},
			{name: "type", args: []string{"type", "Wallpaper"}, needs: "search-field"},
			{name: "typed", args: []string{"snapshot"}, says: []string{"Wallpaper"}, needs: "type"},
			{name: "clear", args: []string{"clear", "--type", "SearchField"}, needs: "type"},
			{name: "key", args: []string{"press-key", "a"}, needs: "search-field"},
			{name: "key-delete", args: []string{"press-key", "delete", "--times", "1"}, needs: "key"},
		}},
		{"The device", "buttons and rotation do not work", []step{
			{name: "rotate", args: []string{"rotate", "landscape-left"}, needs: needsAgent},
			{name: "rotated", args: []string{"snapshot"}, needs: "rotate"},
			{name: "rotate-back", args: []string{"rotate", "portrait"}, needs: "rotate"},
			{name: "home", args: []string{"press-button", "home"}, needs: needsAgent},
			{name: "home-screen", args: []string{"snapshot"}, says: []string{"com.apple.springboard"}, needs: "home"},
			// XCTest has no way to, and that is to be said.
			{name: "lock", args: []string{"press-button", "lock", "--driver", "xctest"}, code: 1, needs: needsAgent},
		}},
	}
}

func inMaps(t *trial) []part {
	return []part{
		{"System questions", "permission alerts are not seen or cannot be answered, and stop every app that asks", []step{
			{name: "maps-ended", args: []string{"terminate", mapsApp}, needs: needsSimulator},
			{name: "maps-reset", args: []string{"grant", mapsApp, "location", "--action", "reset"}, needs: needsSimulator},
			{name: "maps", args: []string{"launch", mapsApp}, needs: needsSimulator},
			{name: "alert", args: []string{"wait", "--type", "Alert", "--timeout", "20"}, needs: needsAgent},
			{name: "alert-screen", args: []string{"snapshot"}, needs: "alert"},
			{name: "alert-read", args: []string{"alert"}, says: []string{`"buttons":["`}, needs: "alert"},
			{name: "alert-answer", args: []string{"alert", "--accept"}, needs: "alert"},
		}},
		{"Gestures", "double taps, long presses and pinches do not arrive", []step{
			{name: "maps-screen", args: []string{"snapshot"}, needs: needsAgent},
			{name: "long-press", args: []string{"touch", "--x", "200", "--y", "300", "--seconds", "1"}, needs: needsAgent},
			{name: "pinch", args: []string{"pinch", "--scale", "2"}, needs: needsAgent},
			{name: "maps-picture", args: []string{"screenshot", "--out", t.picture("maps.png")}, needs: needsSimulator},
		}},
	}
}

func atTheEnd() []part {
	return []part{
		{"The end", "agents and simulators are left running", []step{
			{name: "agent-logs", args: []string{"agent", "logs"}, needs: needsAgent},
			{name: "agent-stop", args: []string{"agent", "stop"}, needs: needsAgent},
			{name: "shutdown", args: []string{"shutdown"}, needs: needsSimulator},
		}},
	}
}
