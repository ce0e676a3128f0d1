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

// Source is where the answers of a rule come from, if not from the rule: at most one of Archive, Tree and Remote.
type Source struct {
	Archive string  `json:"archive,omitempty"` // path of a HAR; a request gets what the same one got in it
	Tree    string  `json:"tree,omitempty"`    // path of a folder; the path of a request names a file in it
	Missing Missing `json:"missing,omitempty"` // what becomes of a request that Archive or Tree have nothing for
	Remote  string  `json:"remote,omitempty"`  // URL of another server; the path of a request is put behind its path
}

// Missing is what becomes of a request that a source has nothing for.
type Missing string

// What becomes of it.
const (
	Pass  Missing = ""      // the next rule, or the server, answers
	Abort Missing = "abort" // the connection is reset, as nobody answers
)

// sourceError is what is wrong with a source.
type sourceError struct{ field, why, hint string }

func (s Source) check() *sourceError {
	for field, at := range map[string]string{"har": s.Archive, "folder": s.Tree} {
		if at != "" && !filepath.IsAbs(at) {
			return &sourceError{field, "it must be a whole path", "Write the path from the root on."}
		}
	}
	if s.Missing != Pass && s.Missing != Abort {
		return &sourceError{"missing", "there is no such choice", "Write pass or abort."}
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

// mayPass says that a rule that fits does not answer all the same.
func (s Source) mayPass() bool { return (s.Archive != "" || s.Tree != "") && s.Missing == Pass }

// needsBody says whether the body of a request tells which answer it gets.
func (s Source) needsBody(f *flow.Flow) bool {
	return s.Archive != "" && f.Request.Method != "GET" && f.Request.Method != "HEAD"
}

// found is what the source of a rule has for a request. Nil and true: the rule itself has the answer; false: somebody else has to answer.
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

// redirected is a URL at another server.
func (s Source) redirected(text string) string {
	to, err := url.Parse(s.Remote)
	from, wrong := url.Parse(text)
	if err != nil || wrong != nil {
		return text // both were read before
	}
	out := *from
	out.Scheme, out.Host, out.User = to.Scheme, to.Host, nil
	if base := strings.TrimSuffix(to.EscapedPath(), "/"); base != "" {
		out.Path, out.RawPath = strings.TrimSuffix(to.Path, "/")+from.Path, base+from.EscapedPath()
	}
	return out.String()
}

// fromTree is the file that a request's path names; nil if there is none. A path cannot lead out of the folder, nor can a link.
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
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, regularfile.ErrNotRegular): // a folder has no answer of its own
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

// unreadable tells an app, and whoever looks at its flow, why a file does not answer.
func (c *compiled) unreadable(what string, err error) *flow.Answer {
	return &flow.Answer{Rule: c.ID, Status: 500, Header: flow.Header{{Name: "Content-Type", Value: "text/plain; charset=utf-8"}},
		Body: fmt.Appendf(nil, "ios-agent: mock %s: %s cannot be read: %s\n", c.ID, what, reason(err))}
}

// Try reads what a rule answers from, so that what is wrong with it is told before a request comes; an *Error. It gives how many answers an
// archive has.
func Try(r Rule) (answers int, err error) {
	a := r.Response
	wrong := func(field string, err error) error {
		return &Error{ID: r.ID, Field: field, Why: reason(err), Hint: "Name one that is there and can be read.", File: true, cause: err}
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
