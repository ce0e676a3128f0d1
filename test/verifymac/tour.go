package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// onTour builds our app Tour, which needs nothing from the network, and drives it. Each part begins at its first screen.
func (t *trial) onTour() []part {
	id := func(name string) []string { return []string{"--identifier", "tour." + name} }
	call := func(verb string, on []string, more ...string) []string {
		return append(append([]string{verb}, on...), more...)
	}
	tap := func(name, on, needs string) step {
		return step{name: name, args: call("tap", id(on)), says: []string{changed}, needs: needs}
	}
	sees := func(name, needs string, texts ...string) step {
		return step{name: name, args: []string{"snapshot"}, says: texts, needs: needs}
	}
	shows := func(name, text, needs string) step {
		return step{name: name, args: []string{"wait", "--text", text}, needs: needs}
	}
	tour := func(key, name, breaks string, steps ...step) part {
		first := step{name: key + "-tour", args: []string{"launch", tourApp, "--restart"}, needs: needsTour, also: needsAgent}
		for i := range steps {
			if steps[i].needs == "" {
				steps[i].needs = first.name
			}
		}
		return part{key: key, name: name, breaks: breaks, steps: append([]step{first}, steps...)}
	}
	run := []string{"run", "--project-path", t.copied("Tour", "Tour.xcodeproj"), "--simulator-id", "@" + simulatorKey}
	return []part{
		{key: "see", name: "Seeing", breaks: "apps are not built and run, or their screens are read wrongly", limit: longTime, steps: []step{
			{name: needsTour, args: run, says: []string{tourApp}, needs: needsSimulator, limit: buildTime},
			{name: "tour-screen", args: []string{"snapshot"}, says: []string{`"tour.greeting"`}, needs: needsTour, also: needsAgent},
			{name: "tour-picture", args: []string{"screenshot", "--out", t.picture("tour.png")}, needs: needsTour},
			{name: "no-alert", args: []string{"alert"}, needs: needsTour, also: needsAgent},
		}},
		tour("touch", "Touching", "taps, presses and swipes do not arrive, or what they did is told wrongly",
			tap("tap", "count", ""), shows("tapped", "Count: 1", "tap"),
			step{name: "double-tap", args: call("double-tap", id("pad"))}, shows("double-tapped", "Gesture: double tap", "double-tap"),
			step{name: "long-press", args: call("long-press", id("pad"), "--seconds", "1.5")},
			shows("long-pressed", "Gesture: long press", "long-press"),
			step{name: "swipe", args: []string{"swipe", "--direction", "up"}},
			step{name: "swipe-back", args: []string{"swipe", "--direction", "down"}}),
		tour("type", "Typing", "text does not arrive in fields, above all with a hardware keyboard connected",
			step{name: "fill", args: call("fill", id("name"), "--text", "Ada 'Lovelace' -- 7")},
			shows("filled", "Hello, Ada 'Lovelace' -- 7!", "fill"),
			step{name: "clear", args: call("clear", id("name")), needs: "fill"}, shows("cleared", "Hello, !", "clear"),
			step{name: "type", args: call("type", id("name"), "--text", "Grace")}, shows("typed", "Hello, Grace!", "type"),
			step{name: "key", args: []string{"press-key", "x"}, needs: "type"}, shows("pressed", "Hello, Gracex!", "key"),
			step{name: "key-delete", args: []string{"press-key", "delete", "--times", "2"}, needs: "key"},
			shows("deleted", "Hello, Grac!", "key-delete")),
		tour("list", "A long list", "elements below the screen are not found",
			tap("list-open", "open-list", ""), sees("list-screen", "list-open", `"tour.row.1"`),
			step{name: "list-scroll", args: call("scroll-to", id("row.60")), needs: "list-open"},
			tap("list-tap", "row.60", "list-scroll"), shows("list-chosen", "Chosen: Row 60", "list-tap")),
		tour("alert", "Alerts", "alerts of apps are not seen or cannot be answered",
			tap("alert-open", "ask", ""), step{name: "alert-read", args: []string{"alert"}, says: []string{`"buttons":["`}, needs: "alert-open"},
			step{name: "alert-answer", args: []string{"alert", "--button", "Keep"}, needs: "alert-read"},
			shows("alert-answered", "Answer: kept", "alert-answer")),
		tour("permission", "System questions", "permission alerts are not seen or cannot be answered, and stop every app that asks",
			step{name: "permission-open", args: call("tap", id("notify"))},
			step{name: "permission-alert", args: []string{"wait", "--type", "Alert", "--timeout", "20"}, needs: "permission-open"},
			step{name: "permission-read", args: []string{"alert"}, says: []string{`"buttons":["`}, needs: "permission-alert"},
			step{name: "permission-answer", args: []string{"alert", "--accept"}, needs: "permission-read"},
			shows("permission-answered", "Notifications: allowed", "permission-answer")),
		tour("sheet", "Sheets", "elements of a sheet are not seen, or elements behind it are touched",
			tap("sheet-open", "open-sheet", ""), sees("sheet-screen", "sheet-open", `"tour.sheet"`),
			tap("sheet-close", "close-sheet", "sheet-open"),
			step{name: "sheet-closed", args: call("wait", id("sheet"), "gone"), needs: "sheet-close"}),
		tour("web", "Web views", "pages inside apps are not seen or not touched",
			tap("web-open", "open-page", ""), shows("web-screen", "A page", "web-open"),
			step{name: "web-tap", args: []string{"tap", "--label", "Press here"}, needs: "web-screen"},
			shows("web-tapped", "The button was pressed", "web-tap")),
		tour("slow", "Slow effects", "an effect that comes late is missed, or is told of another step",
			tap("slow-start", "start", ""), step{name: "slow-end", args: []string{"wait", "--text", "Slow effect: done", "--timeout", "30"},
				needs: "slow-start"}),
		tour("device", "The device", "buttons and rotation do not work",
			step{name: "rotate", args: []string{"rotate", "landscape-left"}, says: []string{changed}},
			sees("rotated", "rotate", `"tour.greeting"`),
			step{name: "rotate-back", args: []string{"rotate", "portrait"}, says: []string{changed}, needs: "rotate"},
			step{name: "home", args: []string{"press-button", "home"}, says: []string{changed}},
			sees("home-screen", "home", "com.apple.springboard"),
			// XCTest has no way to, and that is to be said.
			step{name: "lock", args: []string{"press-button", "lock", "--driver", "xctest"}, code: 1}),
	}
}

// copied is the path of a file below the SDK's folder in the copy of it: Xcode writes into the folder of a project.
func (t *trial) copied(parts ...string) string {
	return filepath.Join(append([]string{t.work, "sdk"}, parts...)...)
}

// copySDK copies what builds of our apps and of the SDK need, and not what earlier builds left.
func (t *trial) copySDK() error {
	manifest, err := os.ReadFile(filepath.Join(t.sdk, "Package.swift"))
	if err != nil {
		return fmt.Errorf("the SDK: %w", err)
	}
	for _, folder := range []string{"Sources", "Tests", "Example", "Tour"} {
		err = errors.Join(err, os.CopyFS(t.copied(folder), os.DirFS(filepath.Join(t.sdk, folder))))
	}
	return errors.Join(err, os.WriteFile(t.copied("Package.swift"), manifest, 0o600))
}
