package mock

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"ios-agent/internal/machine/docfile"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/network/flow"
)

// Limits of archives: their number in all mocks, and the size of a file in bytes.
const (
	MostArchives = 8
	MostArchive  = 64 << 20
)

// Archive holds recorded answers of servers, from a HAR file. It answers as Playwright's routeFromHAR does: it matches the method, the
// URL, and the body where both requests have one; of several matches, the entry with the most equal header lines wins.
type Archive struct {
	Entries int // entries that can answer
	LeftOut int // entries whose answer cannot be repeated

	of  map[string][]*archived
	dir string // folder of the file, which may also have files with bodies
}

type archived struct {
	header flow.Header // of the request
	body   *string     // of the request; nil: unknown
	answer flow.Answer
	file   string // file with the answer's body
}

type harFile struct {
	Log struct {
		Entries []struct {
			Request struct {
				Method, URL string
				Headers     []flow.Field
				PostData    *struct {
					Text     *string
					Encoding string `json:"_encoding"`
				}
			}
			Response struct {
				Status  int
				Headers []flow.Field
				Content harContent
			}
		}
	}
}

type harContent struct {
	Text, Encoding string
	MimeType       string
	File           string `json:"_file"`
}

// ErrNoArchive says that a file is not a HAR.
var ErrNoArchive = errors.New("it must be a HAR: JSON with log.entries")

// ReadArchive reads a HAR.
func ReadArchive(file string) (*Archive, error) {
	raw, err := regularfile.Read(file, MostArchive)
	if err != nil {
		return nil, err
	}
	var har harFile
	if err := json.Unmarshal(raw, &har); err != nil || har.Log.Entries == nil {
		return nil, ErrNoArchive
	}
	a := &Archive{of: map[string][]*archived{}, dir: filepath.Dir(file)}
	for _, e := range har.Log.Entries {
		one := &archived{header: e.Request.Headers, file: e.Response.Content.File}
		if post := e.Request.PostData; post != nil && post.Text != nil {
			text, err := decoded(*post.Text, post.Encoding)
			if err == nil {
				one.body = new(string(text))
			}
		}
		body, err := decoded(e.Response.Content.Text, e.Response.Content.Encoding)
		if err != nil || e.Response.Status < 200 || e.Response.Status > 599 || !plain(e.Request.URL) {
			a.LeftOut++
			continue
		}
		one.answer = flow.Answer{Status: e.Response.Status, Header: repeated(e.Response.Headers), Body: body}
		if kind := e.Response.Content.MimeType; one.answer.Header.Get("content-type") == "" && kind != "" {
			one.answer.Header = append(one.answer.Header, repeated(flow.Header{{Name: "Content-Type", Value: kind}})...)
		}
		key := keyOf(e.Request.Method, e.Request.URL)
		a.of[key] = append(a.of[key], one)
		a.Entries++
	}
	return a, nil
}

// plain reports whether a URL has a scheme that the proxy sees.
func plain(text string) bool {
	return strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
}

func decoded(text, encoding string) ([]byte, error) {
	if strings.EqualFold(encoding, "base64") {
		return base64.StdEncoding.DecodeString(text)
	}
	return []byte(text), nil
}

// keyOf is the key of a request. It leaves out the fragment, which never leaves an app.
func keyOf(method, text string) string {
	if u, err := url.Parse(text); err == nil {
		u.Fragment, u.RawFragment = "", ""
		if u.Path == "" {
			u.Path = "/"
		}
		text = u.String()
	}
	return strings.ToUpper(method) + " " + text
}

// answer is the recorded answer to a request; nil if no entry matches.
func (a *Archive) answer(f *flow.Flow) *flow.Answer {
	var best *archived
	most := -1
	for _, one := range a.of[keyOf(f.Request.Method, f.Request.URL)] {
		if one.body != nil && len(f.Request.Body.Content) > 0 && *one.body != string(f.Request.Body.Content) {
			continue
		}
		if n := alike(one.header, f.Request.Header); n > most {
			best, most = one, n
		}
	}
	if best == nil {
		return nil
	}
	out := best.answer
	if best.file != "" {
		body, err := docfile.Read(a.dir, best.file, MostBody)
		if err != nil {
			return &flow.Answer{Status: 500, Body: fmt.Appendf(nil, "ios-agent: cannot read the body %.80q of the archive: %s\n",
				best.file, reason(err))}
		}
		out.Body = body
	}
	return &out
}

// alike is the number of equal lines in two headers.
func alike(a, b flow.Header) (n int) {
	for _, one := range a {
		if one.Value == b.Get(one.Name) {
			n++
		}
	}
	return n
}

// lazyArchive reads an archive at its first use. Every process that serves makes the rule, and its later copies share the archive.
type lazyArchive struct {
	once sync.Once
	read *Archive
	err  error
}

func (l *lazyArchive) load(file string) (*Archive, error) {
	l.once.Do(func() { l.read, l.err = ReadArchive(file) })
	return l.read, l.err
}
