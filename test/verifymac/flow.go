package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// part is some steps that show one ability.
type part struct {
	key    string // for --only
	name   string
	breaks string        // what does not work on a Mac if a step of it fails
	limit  time.Duration // of all its steps; 0 is partTime
	off    lack          // why it cannot be tried here; empty: it can
	steps  []step
}

// step is one call of ios-agent, or of a tool. A word that begins with @ is found out while the steps run: @session.
type step struct {
	name  string
	args  []string
	code  int           // the exit code that is right
	says  []string      // texts of which the answer must have one
	needs string        // a step without which this one cannot be tried
	also  string        // another such step
	tool  string        // one of Apple's tools to call, and not ios-agent
	tries int           // how often it may be tried, a second apart; 0 is once
	limit time.Duration // 0 is stepTime
	gives string        // the name of what the last line of its output tells
	whole bool          // it runs to its end when the run is interrupted: half done it could not be undone
	lacks absence       // a failure that shows that something is missing on this Mac, and nothing about ios-agent
}

// absence is known by texts in the output of a step.
type absence struct {
	says []string
	lack
}

// A run ends: each step and each part has its time. The first build of an agent takes minutes on a slow Mac, and so does the first build of
// SwiftSyntax.
const (
	stepTime  = 3 * time.Minute
	buildTime = 15 * time.Minute
	partTime  = 10 * time.Minute
	longTime  = 35 * time.Minute
)

// Steps that others need, and names of what they tell.
const (
	stepCreate     = "create"
	needsSimulator = "boot"
	needsAgent     = "agent-start"
	needsTour      = "tour-run"
	simulatorKey   = "simulator"
	keyAgent       = "agent"
)

const (
	settingsApp = "com.apple.Preferences"
	mapsApp     = "com.apple.Maps"
	tourApp     = "com.example.tour"
)

// changed is what an answer says of an input that had an effect on the screen. "unchanged" would contain the bare word.
const changed = `"outcome":"changed"`

// extras are the tries of a step on an app of Apple: its screens differ between versions and may load late.
const extras = 3

// parts are one of everything the agent can do: on our own app first, then on apps that every simulator has. Nothing of it needs a
// person: a system question is provoked and answered, no step relies on a keyboard on the screen, which a hardware keyboard hides, and
// none on the language of the Mac.
func (t *trial) parts() []part {
	return slices.Concat(t.before(), t.onTour(), []part{t.onExample()}, []part{t.byIDB()}, inSettings(t), inMaps(t), t.onDesktop(),
		[]part{t.onDevice()}, atTheEnd())
}

// chosen are the parts with the keys that a person named, and of the other parts the steps that these need.
func chosen(all []part, only string) ([]part, error) {
	if only == "" {
		return all, nil
	}
	keys := strings.Split(only, ",")
	for _, key := range keys {
		if !slices.ContainsFunc(all, func(p part) bool { return p.key == key }) {
			var known []string
			for _, p := range all {
				known = append(known, p.key)
			}
			return nil, fmt.Errorf("unknown part %q: the parts are %s", key, strings.Join(slices.Compact(known), ", "))
		}
	}
	wanted := map[string]bool{}
	var kept []part
	for _, p := range slices.Backward(all) { // a step comes after the step that it needs
		whole := slices.Contains(keys, p.key)
		var steps []step
		for _, s := range slices.Backward(p.steps) {
			if whole || wanted[s.name] {
				wanted[s.needs], wanted[s.also] = true, true
				steps = append(steps, s)
			}
		}
		if p.steps = steps; len(steps) > 0 || whole {
			slices.Reverse(p.steps)
			kept = append(kept, p)
		}
	}
	slices.Reverse(kept)
	return kept, nil
}

// onSimulator names the simulator of the run, for steps after which another device may be the current one.
func onSimulator(args ...string) []string { return append(args, "--udid", "@"+simulatorKey) }

func (t *trial) before() []part {
	const noTools = "nothing works: simulators are not found, booted or told about"
	return []part{
		{key: "tools", name: "Apple's tools", breaks: noTools, steps: []step{
			{name: "doctor", args: []string{"doctor"}},
			{name: stepCreate, tool: "xcrun", args: []string{"simctl", "create", simulatorName, "@device type", "@runtime"},
				gives: simulatorKey, whole: true},
			{name: "list-sims", args: []string{"list-sims"}, says: []string{"@" + simulatorKey}, needs: stepCreate},
			{name: needsSimulator, args: onSimulator("boot"), needs: stepCreate, limit: 10 * time.Minute},
			{name: "list-apps", args: []string{"list-apps"}, says: []string{settingsApp}, needs: needsSimulator},
		}},
		{key: keyAgent, name: "The agent", limit: longTime,
			breaks: "no screen is seen and nothing can be touched; building, installing, launching and logs still work", steps: []step{
				{name: "agent-build", args: []string{"agent", "build"}, limit: buildTime},
				{name: "prepare", args: []string{"prepare"}, needs: needsSimulator},
				{name: needsAgent, args: []string{"agent", "start"}, needs: needsSimulator, limit: buildTime},
				{name: "agent-status", args: []string{"agent", "status"}, says: []string{"@" + simulatorKey}, needs: needsAgent},
			}},
	}
}

func inSettings(t *trial) []part {
	general := []string{"About", "Software Update", "Keyboard"}
	return []part{
		{key: "settings", name: "Settings (extra)", breaks: "apps with long lists of cells are read or touched wrongly", steps: []step{
			{name: "settings", args: []string{"launch", settingsApp, "--args=-AppleLanguages", "--args=(en)"}, needs: needsSimulator},
			{name: "settings-screen", args: []string{"snapshot"}, says: []string{"General"}, needs: needsAgent, tries: extras},
			{name: "settings-picture", args: []string{"screenshot", "--out", t.picture("settings.png")}, needs: "settings"},
			{name: "settings-tap", args: []string{"tap", "--label", "General"}, says: []string{changed}, needs: "settings-screen",
				tries: extras},
			{name: "settings-pushed", args: []string{"snapshot"}, says: general, needs: "settings-tap", tries: extras},
			{name: "settings-back", args: []string{"back"}, needs: "settings-tap", tries: extras},
			{name: "search-field", args: []string{"tap", "--type", "SearchField"}, needs: "settings-screen", tries: extras},
			{name: "search-type", args: []string{"type", "Wallpaper"}, needs: "search-field"},
			{name: "search-typed", args: []string{"snapshot"}, says: []string{"Wallpaper"}, needs: "search-type", tries: extras},
		}},
	}
}

func inMaps(t *trial) []part {
	return []part{
		{key: "maps", name: "Maps (extra)", breaks: "pinches do not arrive, or system questions over an app of Apple stop it", steps: []step{
			{name: "maps-ended", args: []string{"terminate", mapsApp}, needs: needsSimulator},
			{name: "maps-reset", args: []string{"grant", mapsApp, "location", "--action", "reset"}, needs: needsSimulator},
			{name: "maps", args: []string{"launch", mapsApp}, needs: needsSimulator},
			{name: "maps-alert", args: []string{"wait", "--type", "Alert", "--timeout", "20"}, needs: needsAgent, tries: extras},
			{name: "maps-alert-read", args: []string{"alert"}, says: []string{`"buttons":["`}, needs: "maps-alert", tries: extras},
			{name: "maps-alert-answer", args: []string{"alert", "--accept"}, needs: "maps-alert-read"},
			{name: "maps-screen", args: []string{"snapshot"}, needs: needsAgent, tries: extras},
			{name: "maps-touch", args: []string{"touch", "--x", "200", "--y", "300", "--seconds", "1"}, needs: needsAgent},
			{name: "maps-pinch", args: []string{"pinch", "--scale", "2"}, needs: needsAgent, tries: extras},
			{name: "maps-picture", args: []string{"screenshot", "--out", t.picture("maps.png")}, needs: "maps"},
		}},
	}
}

func atTheEnd() []part {
	return []part{
		{key: "end", name: "The end", breaks: "agents and simulators are left running", steps: []step{
			{name: "agent-logs", args: onSimulator("agent", "logs"), needs: needsAgent},
			{name: "agent-stop", args: onSimulator("agent", "stop"), needs: needsAgent},
			{name: "shutdown", args: onSimulator("shutdown"), needs: needsSimulator},
		}},
	}
}
