package house_test

import (
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/test/house"
	"ios-agent/test/rig"
)

// ends is an app whose buttons end something: the app, a page, a sheet, its place in front.
const ends = `
start: main
state: {shown: true}
screens:
  main:
    title: Ends
    elements:
      - {button: Quit, id: quit, do: [{print: "saved 3 drafts"}, {log: {level: default, message: "saved 3 drafts"}}, {exit: true}]}
      - {button: Crash, id: crash, do: [{crash: "no drafts"}]}
      - {link: Help, id: help, do: [{open: "helper://page"}]}
      - {button: Browser, id: browser, do: [{sheet: browser}]}
      - {button: Page, id: page, do: [{set: {shown: true}}, {go: page}]}
  browser:
    title: example.com
    elements:
      - {web: [{text: "Terms"}, {link: "Close page", id: close-page, do: [{dismiss: true}]}], height: 300}
      - {button: Done, id: done, do: [{dismiss: true}]}
  page:
    title: Page
    elements:
      - {web: [{text: "Cookies"}, {link: "Agree", id: agree, do: [{set: {shown: false}}]}], height: 300, visible: {shown: true}}
      - {text: "below the page"}
`

const helper = `
start: main
open: {"helper://page": []}
screens:
  main:
    title: Helper
    elements:
      - {text: "How can we help?"}
`

// What an input is meant to end is an answer that says what ended or left and how, through each driver of simulators.
func TestExpectedAppEndIsNotFault(t *testing.T) {
	t.Parallel()
	const changed, closed = "→ changed", `"example.com" → "Ends"`
	for name, c := range map[string]struct {
		way  []string
		says []string
	}{
		"an app that quits": {[]string{"quit"}, []string{changed, "com.example.ends ended: ", "it exited, or", "saved 3 drafts"}},
		"a link that leaves the app": {[]string{"help"},
			[]string{changed, "com.example.ends → com.example.helper", `"Ends" → "Helper"`}},
		"a browser that is closed":       {[]string{"browser", "done"}, []string{changed, closed, `"Terms"`}},
		"a page that closes its browser": {[]string{"browser", "close-page"}, []string{changed, closed, `"Close page"`}},
		"a page that closes in an app":   {[]string{"page", "agree"}, []string{changed, `- link "Agree"`}},
	} {
		t.Run(name, func(t *testing.T) {
			throughEach(t, "com.example.ends", ends, func(t *testing.T, h *house.House) {
				h.Must("a", "install_app", in{"app_path": rig.App(t, "com.example.helper", helper)})
				last := len(c.way) - 1
				for _, id := range c.way[:last] {
					h.Must("a", "tap_element", in{"identifier": id})
				}
				text := h.Must("a", "tap_element", in{"identifier": c.way[last]}).Text()
				if strings.Contains(text, "Skipping info") {
					t.Errorf("got what the log says of itself as the last words of the app:\n%s", text)
				}
				for _, want := range c.says {
					if !strings.Contains(text, want) {
						t.Errorf("got an answer without %q:\n%s", want, text)
					}
				}
			})
		})
	}
}

// A crash stays a fault, which says why, through each driver.
func TestCrashIsAFaultThroughEachDriver(t *testing.T) {
	t.Parallel()
	throughEach(t, "com.example.ends", ends, func(t *testing.T, h *house.House) {
		e := h.Call("a", "tap_element", in{"identifier": "crash"})
		if e.Error == nil || e.Error.Code != fault.AppEnded || !strings.Contains(e.Text(), "no drafts") {
			t.Errorf("got %s, want %s that says why", e.Text(), fault.AppEnded)
		}
	})
}
