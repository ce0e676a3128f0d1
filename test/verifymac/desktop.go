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
	needsTwin   = "app-ui"
	breaksInput = "desktop apps are seen, and clicks, keys and drags do not arrive in them"
)

// onDesktop are the nine scenarios of strobe's interaction test on the twin, and what it says itself. A word that begins with @ is found
// out while they run: @session, or the id of the element with that name. Virtual Xcode plays no desktop.
func (t *trial) onDesktop() []part {
	if t.tools.Name == apple.Virtual {
		return nil
	}
	source, program := filepath.Join(t.work, "DesktopTwin.swift"), filepath.Join(t.work, "DesktopTwin")
	if err := os.WriteFile(source, twin, 0o600); err != nil {
		fmt.Fprintln(t.out, "the twin is not written:", err)
	}
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
	return []part{
		{"Seeing desktop apps", "desktop apps are not seen: is the terminal allowed in Privacy & Security → Accessibility?", []step{
			{name: "app-build", tool: "xcrun", args: []string{"swiftc", "-parse-as-library", "-o", program, source}},
			{name: "app-launch", args: []string{"app", "launch", "--", program}, says: []string{`"sessionId"`}, needs: "app-build"},
			{name: "app-ui", args: []string{"app", "ui", "@session"}, says: []string{`Action`}, needs: "app-launch", tries: 20},
			{name: "app-picture", args: []string{"app", "ui", "@session", "--mode", "screenshot"}, says: []string{`"screenshot"`}, needs: needsTwin},
		}},
		{"Acting by accessibility", "elements of desktop apps are not pressed or set", []step{
			act("click", "click", "@Action"), told("click", "clicked 1"),
			act("slider", "set_value", "@Volume", "--value", "0.8", "--settle-ms", "200"), told("slider", "volume 0.80"),
			act("field", "set_value", "@Name", "--value", "programmatic", "--settle-ms", "200"), told("field", "name programmatic"),
			refused(act("no-node", "click", "btn_0000"), "node not found"),
		}},
		{"Acting by input", breaksInput, []step{
			act("type", "type", "@Name", "--text", " héllo 👋", "--settle-ms", "200"), told("type", "héllo 👋"),
			act("key", "key", "--key", "a", "--modifiers", "cmd"),
			act("scroll", "scroll", "@Beta", "--direction", "down", "--settle-ms", "200"),
			act("drag", "drag", "@Drag Source", "--to-id", "@Drop Here", "--settle-ms", "500"), told("drag", "dropped payload"),
			refused(act("no-key", "key", "--key", "nosuchkey"), "unknown key"),
			{name: "app-stop", args: []string{"app", "session", "stop", "@session"}, needs: "app-launch"},
		}},
	}
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
			return nil, fmt.Errorf("no answer so far had a %q", name)
		}
	}
	return filled, nil
}

// element is one of a tree, with its title and its id.
var element = regexp.MustCompile(`\[AX\w+ "([^"]+)" id=([^\s\]]+)`)

// learn keeps what later steps name: the session, and the ids of elements.
func (t *trial) learn(answer []byte) {
	var said struct {
		Session string `json:"sessionId"`
		Tree    string `json:"tree"`
	}
	if !json.Valid(answer) || resultOf(answer, &said) != nil {
		return
	}
	if t.known == nil {
		t.known = map[string]string{}
	}
	if said.Session != "" {
		t.known["session"] = said.Session
	}
	for _, e := range element.FindAllStringSubmatch(said.Tree, -1) {
		if t.known[e[1]] == "" {
			t.known[e[1]] = e[2]
		}
	}
}
