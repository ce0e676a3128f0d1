package mock

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ios-agent/internal/machine/docfile"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/network/flow"
)

// Source is the origin of a rule's answers outside the rule: at most one of Archive, Tree and Remote.
type Source struct {
	Archive string  `json:"archive,omitempty"` // path of a HAR; a request gets the recorded answer of the same request
	Tree    string  `json:"tree,omitempty"`    // path of a folder; a request's path is the name of a file in it
	Missing Missing `json:"missing,omitempty"` // treatment of requests that Archive or Tree cannot answer
	Remote  string  `json:"remote,omitempty"`  // URL of another server; a request's path is appended to its path
}

// Missing is the treatment of a request that a source cannot answer.
type Missing string

// The treatments.
const (
	Pass  Missing = ""      // the next rule, or the server, answers
	Abort Missing = "abort" // the connection is reset
)

// sourceError is an error in a source.
type sourceError struct{ field, why, hint string }

func (s Source) check() *sourceError {
	for field, at := range map[string]string{"har": s.Archive, "folder": s.Tree} {
		if at != "" && !filepath.IsAbs(at) {
			return &sourceError{field, "it must be an absolute path", "Write the path from the root."}
		}
	}
	if s.Missing != Pass && s.Missing != Abort {
		return &sourceError{"missing", "unknown choice", "Write pass or abort."}
	}
	if s.Remote == "" {
		return nil
	}
	u, err := url.Parse(s.Remote)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return &sourceError{"to", "it must be the address of a server", "Write it as https://staging.example.com, with a path if there is one."}
	}
	return nil
}

// mayPass reports whether a matching rule may still leave the answer to others.
func (s Source) mayPass() bool { return (s.Archive != "" || s.Tree != "") && s.Missing == Pass }

// needsBody reports whether the answer depends on the body of the request.
func (s Source) needsBody(f *flow.Flow) bool {
	return s.Archive != "" && f.Request.Method != "GET" && f.Request.Method != "HEAD"
}

// found asks the source of a rule for the answer to a request. nil and true: the rule has the answer itself; false: another rule must
// answer.
func (c *compiled) found(f *flow.Flow) (answer *flow.Answer, has bool) {
	r := c.Response
	switch {
	case r.Remote != "":
		return &flow.Answer{Rule: c.ID, To: r.redirected(f.Request.URL)}, true
	case r.Archive != "":
		all, err := c.archive.load(r.Archive)
		if err != nil {
			return c.unreadable("the archive", err), true
		}
		answer = all.answer(f)
	case r.Tree != "":
		if answer = c.fromTree(f); answer == nil && r.Missing == Pass {
			return nil, false
		}
	default:
		return nil, true
	}
	switch {
	case answer != nil:
		answer.Rule, answer.Delay = c.ID, r.Delay
		return answer, true
	case r.Missing == Abort:
		return &flow.Answer{Rule: c.ID, Fault: flow.Reset}, true
	}
	return nil, false
}

// redirected is the URL at the other server.
func (s Source) redirected(text string) string {
	to, err := url.Parse(s.Remote)
	from, wrong := url.Parse(text)
	if err != nil || wrong != nil {
		return text // both parsed before
	}
	out := *from
	out.Scheme, out.Host, out.User = to.Scheme, to.Host, nil
	if base := strings.TrimSuffix(to.EscapedPath(), "/"); base != "" {
		out.Path, out.RawPath = strings.TrimSuffix(to.Path, "/")+from.Path, base+from.EscapedPath()
	}
	return out.String()
}

// fromTree answers with the file that a request's path names; nil if the file does not exist. Neither a path nor a link can leave the
// folder.
func (c *compiled) fromTree(f *flow.Flow) *flow.Answer {
	u, err := url.Parse(f.Request.URL)
	if err != nil {
		return nil
	}
	name := strings.TrimPrefix(path.Clean("/"+u.Path), "/")
	if name == "" || strings.HasSuffix(u.Path, "/") {
		name = path.Join(name, "index.html")
	}
	name = filepath.FromSlash(name)
	if !filepath.IsLocal(name) || strings.ContainsRune(name, 0) {
		return nil
	}
	body, err := docfile.Read(c.Response.Tree, name, MostBody)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, regularfile.ErrNotRegular): // the path names a folder
		return nil
	case err != nil:
		return c.unreadable(filepath.ToSlash(name), err)
	}
	answer := &flow.Answer{Status: 200, Body: body}
	if kind := kinds[strings.ToLower(filepath.Ext(name))]; kind != "" {
		answer.Header = flow.Header{{Name: "Content-Type", Value: kind}}
	}
	return answer
}

// unreadable is an answer that says, to the app and in its flow, why a file cannot be sent.
func (c *compiled) unreadable(what string, err error) *flow.Answer {
	return &flow.Answer{Rule: c.ID, Status: 500, Header: flow.Header{{Name: "Content-Type", Value: "text/plain; charset=utf-8"}},
		Body: fmt.Appendf(nil, "ios-agent: mock %s: cannot read %s: %s\n", c.ID, what, reason(err))}
}

// Try reads the files of a rule, so that an error shows before a request arrives; the error is an *Error. answers is the number of
// answers in an archive.
func Try(r Rule) (answers int, err error) {
	a := r.Response
	wrong := func(field string, err error) error {
		return &Error{ID: r.ID, Field: field, Why: reason(err), Hint: "Name a file or folder that exists and can be read.", File: true,
			cause: err}
	}
	switch {
	case a.Archive != "":
		all, err := ReadArchive(a.Archive)
		if err != nil {
			return 0, wrong("har", err)
		}
		return all.Entries, nil
	case a.Tree != "":
		if info, err := os.Stat(a.Tree); err != nil || !info.IsDir() {
			return 0, wrong("folder", cmp.Or(err, fs.ErrNotExist))
		}
	case a.BodyFile != "":
		if _, err := docfile.Read(a.Folder, a.BodyFile, MostBody); err != nil {
			return 0, wrong("file", err)
		}
	}
	return 0, nil
}
