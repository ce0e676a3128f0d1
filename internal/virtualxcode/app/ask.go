package app

import (
	"path/filepath"
	"time"
)

// Ask asks the person who holds the device for a permission, in an alert of the system. What was answered before is
// not asked again.
type Ask struct {
	Number  int // its place in App.Asks
	Service string
	Reason  Text   // what the alert says below its title; empty: what Info.plist says
	Into    string // the string variable that takes the answer: granted, denied, once, limited
	Paste   string // the string variable that takes the pasteboard's text when that was asked for
	Do      []Step // it is granted
	Else    []Step
}

// Run implements Step.
func (a *Ask) Run(on Stage) { on.Permit(a) }

// Request is an HTTP request of the app.
type Request struct {
	Number  int // its place in App.Requests
	Method  string
	URL     Text
	Headers []Header
	Body    Text
	Timeout time.Duration
	Busy    string // the bool variable that is true until the answer is there
	Status  string // the number variable that takes the answer's status; 0 without an answer
	Text    string // the string variable that takes its body
	Error   string // the string variable that takes why there is no answer, or ""
	Fields  []Field
	Do      []Step // after an answer from 200 to 299
	Else    []Step // after any other, and after none
}

// Header is a header of a Request.
type Header struct {
	Name  string
	Value Text
}

// Field is a part of an answer in JSON that goes into a variable.
type Field struct {
	Path string // names and numbers with dots between them, such as items.0.id
	Var  string
}

// Run implements Step.
func (r *Request) Run(on Stage) { on.Request(r) }

// Reply is what the app answers itself: requests to URLs of the scheme virtual do not go to a network.
type Reply struct {
	Method, Path string
	Status       int
	Body         Text
	After        time.Duration
}

// Scheme is the scheme of URLs that the app answers itself.
const Scheme = "virtual"

// Reply is the answer to a request to the app itself, nil if it has none for the path.
func (a *App) Reply(method, path string) *Reply {
	for i, r := range a.Server {
		if r.Method == method && r.Path == path {
			return &a.Server[i]
		}
	}
	return nil
}

// Write puts a text into a file of the app's data folder.
type Write struct {
	File, Text Text
	Append     bool
}

// Run implements Step.
func (s Write) Run(on Stage) {
	on.WriteFile(s.File.Expand(on.Vars()), s.Text.Expand(on.Vars()), s.Append)
}

// Read sets a variable to what a file of the app's data folder has, "" if there is none.
type Read struct {
	File Text
	Into string
}

// Run implements Step.
func (s Read) Run(on Stage) { on.Vars()[s.Into] = on.ReadFile(s.File.Expand(on.Vars())) }

// LocalFile reports whether a name is that of a file inside an app's data folder.
func LocalFile(name string) bool {
	return name != "" && filepath.IsLocal(name) && filepath.Clean(name) != "."
}
