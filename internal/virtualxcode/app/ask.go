package app

import (
	"path/filepath"
	"time"
)

// Ask asks the user for a permission, in a system alert. A permission with a stored answer shows no alert.
type Ask struct {
	Number  int // index in App.Asks
	Service string
	Reason  Text   // the text below the alert's title; empty: from Info.plist
	Into    string // the string variable that receives the answer: granted, denied, once, limited
	Paste   string // the string variable that receives the pasteboard's text, if the service is paste
	Do      []Step // steps after a granted answer
	Else    []Step
}

// Run implements Step.
func (a *Ask) Run(on Stage) { on.Permit(a) }

// Request is an HTTP request of the app.
type Request struct {
	Number  int // index in App.Requests
	Method  string
	URL     Text
	Headers []Header
	Body    Text
	Timeout time.Duration
	Busy    string // the bool variable that is true until the answer arrives
	Status  string // the number variable that receives the answer's status; 0 without an answer
	Text    string // the string variable that receives its body
	Error   string // the string variable that receives the error of a failed request, or ""
	Fields  []Field
	Do      []Step // after an answer from 200 to 299
	Else    []Step // after any other answer, and after a failed request
}

// Header is a header of a Request.
type Header struct {
	Name  string
	Value Text
}

// Field is a part of a JSON answer and its variable.
type Field struct {
	Path string // names and numbers separated by dots, such as items.0.id
	Var  string
}

// Run implements Step.
func (r *Request) Run(on Stage) { on.Request(r) }

// Reply is an answer of the app itself: requests to URLs of the scheme virtual do not use a network.
type Reply struct {
	Method, Path string
	Status       int
	Body         Text
	After        time.Duration
}

// Scheme is the scheme of URLs that the app answers itself.
const Scheme = "virtual"

// Reply is the app's own answer for a path, or nil.
func (a *App) Reply(method, path string) *Reply {
	for i, r := range a.Server {
		if r.Method == method && r.Path == path {
			return &a.Server[i]
		}
	}
	return nil
}

// Write writes a text to a file of the app's data folder.
type Write struct {
	File, Text Text
	Append     bool
}

// Run implements Step.
func (s Write) Run(on Stage) {
	on.WriteFile(s.File.Expand(on.Vars()), s.Text.Expand(on.Vars()), s.Append)
}

// Read sets a variable to the content of a file in the app's data folder, or "".
type Read struct {
	File Text
	Into string
}

// Run implements Step.
func (s Read) Run(on Stage) { on.Vars()[s.Into] = on.ReadFile(s.File.Expand(on.Vars())) }

// LocalFile reports whether a name is the name of a file inside an app's data folder.
func LocalFile(name string) bool {
	return name != "" && filepath.IsLocal(name) && filepath.Clean(name) != "."
}
