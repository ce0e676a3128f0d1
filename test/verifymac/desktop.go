package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ios-agent/internal/apple"
)

// twin is the SwiftUI program that desktop apps are tried on: the widgets of the GTK program of Linux.
//
//go:embed twin/DesktopTwin.swift
var twin []byte

const (
	keyDesktop     = "desktop"
	needsTwin      = "app-ui"
	stepAppPicture = "app-picture"
	breaksInput    = "desktop apps are seen, and clicks, keys and drags do not arrive in them"
)

// onDesktop are the nine scenarios of strobe's interaction test on the twin, and what it says itself. Words that begin with @ are @session
// and the ids of elements by their names. Virtual Xcode plays no desktop.
func (t *trial) onDesktop() []part {
	source, program := filepath.Join(t.work, "DesktopTwin.swift"), filepath.Join(t.work, "DesktopTwin")
	if err := os.WriteFile(source, twin, 0o600); err != nil {
		fmt.Fprintln(t.out, "the twin is not written:", err)
	}
	forbidden := absence{[]string{`"code":"FORBIDDEN"`},
		lack{"macOS does not allow accessibility to this terminal", fmt.Sprintf(pane, "Accessibility")}}
	act := func(name, action string, args ...string) step {
		s := step{name: "app-" + name, args: append([]string{"app", "act", "@session", action}, args...), needs: needsTwin}
		s.says = []string{`"success":true`}
		return s
	}
	told := func(name, line string) step {
		return step{name: "app-told-" + name, args: []string{"app", "session", "@session"}, says: []string{line}, needs: "app-" + name, tries: 5}
	}
	refused := func(s step, says string) step {
		s.code, s.says = 1, []string{says}
		return s
	}
	blind := absence{forbidden.says, lack{"macOS does not allow pictures to this terminal", fmt.Sprintf(pane, "ScreenCapture")}}
	picture := []string{"app", "ui", "@session", "--mode", "screenshot"}
	parts := []part{
		{name: "Seeing desktop apps", breaks: "desktop apps are not seen", steps: []step{
			{name: "app-build", tool: "xcrun", args: []string{"swiftc", "-parse-as-library", "-o", program, source}, limit: buildTime},
			{name: "app-launch", args: []string{"app", "launch", "--", program}, says: []string{`"sessionId"`}, needs: "app-build",
				lacks: forbidden},
			{name: "app-ui", args: []string{"app", "ui", "@session"}, says: []string{`Action`}, needs: "app-launch", tries: 20, lacks: forbidden},
			{name: stepAppPicture, args: picture, says: []string{`"screenshot"`}, needs: needsTwin, lacks: blind},
		}},
		{name: "Acting by accessibility", breaks: "elements of desktop apps are not pressed or set", steps: []step{
			act("click", "click", "@Action"), told("click", "clicked 1"),
			act("slider", "set_value", "@Volume", "--value", "0.8", "--settle-ms", "200"), told("slider", "volume 0.80"),
			act("field", "set_value", "@Name", "--value", "programmatic", "--settle-ms", "200"), told("field", "name programmatic"),
			refused(act("no-node", "click", "btn_0000"), "node not found"),
		}},
		{name: "Acting by input", breaks: breaksInput, steps: []step{
			act("type", "type", "@Name", "--text", " héllo 👋", "--settle-ms", "200"), told("type", "héllo 👋"),
			act("key", "key", "--key", "a", "--modifiers", "cmd"),
			act("scroll", "scroll", "@Beta", "--direction", "down", "--settle-ms", "200"),
			// A drag that is posted to a process reaches the program, and never becomes a drag session of AppKit.
			refused(act("drag", "drag", "@Drag Source", "--to-id", "@Drop Here", "--settle-ms", "500"), "pointer"),
			refused(act("no-key", "key", "--key", "nosuchkey"), "unknown key"),
			{name: "app-stop", args: []string{"app", "session", "stop", "@session"}, needs: "app-launch"},
		}},
	}
	for i := range parts {
		parts[i].key = keyDesktop
		if t.tools.Name == apple.Virtual && !virtuallyMissing(accessibility) {
			parts[i].off = lack{why: "Virtual Xcode plays no desktop"}
		}
	}
	return parts
}

// fill puts what is known into the words of a step.
func (t *trial) fill(args []string) ([]string, error) {
	filled := make([]string, len(args))
	for i, word := range args {
		name, open := strings.CutPrefix(word, "@")
		if filled[i] = word; !open {
			continue
		}
		if filled[i] = t.known[name]; filled[i] == "" {
			return nil, fmt.Errorf("no answer so far had %q", name)
		}
	}
	return filled, nil
}

// element is one of a tree, with its title, its id and its value: some texts of SwiftUI have a value and no title.
var element = regexp.MustCompile(`\[AX\w+(?: "([^"]*)")? id=([^\s\]]+)(?: bounds=[^\s\]]+)?(?: value="([^"]+)")?`)

// learn keeps what later steps name: the session, and the ids of elements. A title goes before the same word as a value.
func (t *trial) learn(answer []byte) {
	var said struct {
		Session string `json:"sessionId"`
		Tree    string `json:"tree"`
	}
	if !json.Valid(answer) || resultOf(answer, &said) != nil {
		return
	}
	if said.Session != "" {
		t.known["session"] = said.Session
	}
	all := element.FindAllStringSubmatch(said.Tree, -1)
	for _, group := range []int{1, 3} {
		for _, e := range all {
			if name := e[group]; name != "" && t.known[name] == "" {
				t.known[name] = e[2]
			}
		}
	}
}
