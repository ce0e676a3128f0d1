package op

import (
	"slices"
	"strings"

	"ios-agent/internal/text/oneline"
)

// Notice is a part of an answer that the caller did not ask for but needs to trust the answer.
type Notice struct {
	Kind  NoticeKind `json:"kind"`
	Text  string     `json:"text,omitempty" facts:"ours"`
	Lines []string   `json:"lines,omitempty" facts:"ours"`
}

// NoticeKind says what a notice is about.
type NoticeKind string

// The kinds of notices.
const (
	Config    NoticeKind = "config"    // settings, state or devices need attention
	Paused    NoticeKind = "paused"    // a debugger holds the app
	Chosen    NoticeKind = "device"    // the device that was chosen for a call that names none
	Meanwhile NoticeKind = "meanwhile" // changes of the screen since it was last shown
	Cut       NoticeKind = "cut"       // size of the omitted part of the answer, and the file with the whole
	Logged    NoticeKind = "log"       // errors that the app logged
	Net       NoticeKind = "net"       // requests of the app
)

// The order of every answer: notices of the first kinds, the result, notices of the second kinds.
var (
	beforeResult = [...]NoticeKind{Config, Paused, Chosen, Meanwhile}
	afterResult  = [...]NoticeKind{Cut, Logged, Net}
)

// String is the notice for people and models: a heading line, and a line for each of its lines.
func (n Notice) String() string { return oneline.Legible(oneline.Draw(n, Notice.lined)) }

func (n Notice) lined() string {
	head := string(n.Kind) + ": " + n.Text
	switch {
	case len(n.Lines) > 0 && n.Text != "":
		head = string(n.Kind) + " (" + n.Text + "):"
	case len(n.Lines) > 0:
		head = string(n.Kind) + ":"
	}
	return strings.Join(append([]string{head}, n.Lines...), "\n")
}

// Notify adds a notice to the answer.
func (c *Call) Notify(n Notice) { c.notices = append(c.notices, n) }

func ordered(notices []Notice, kinds []NoticeKind) (out []Notice) {
	for _, kind := range kinds {
		for _, n := range notices {
			if n.Kind == kind {
				out = append(out, n)
			}
		}
	}
	return out
}

func inOrder(notices []Notice) []Notice {
	return ordered(notices, slices.Concat(beforeResult[:], afterResult[:]))
}

// around puts the notices before and after a text.
func (m Meta) around(text string) string {
	var parts []string
	for _, n := range ordered(m.Notices, beforeResult[:]) {
		parts = append(parts, n.String())
	}
	if text != "" {
		parts = append(parts, text)
	}
	for _, n := range ordered(m.Notices, afterResult[:]) {
		parts = append(parts, n.String())
	}
	return strings.Join(parts, "\n")
}
