package mock

import (
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/docfile"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/pattern"
)

// Set is a list of rules with the number of answers of each. It is safe for concurrent use; a nil Set is empty.
type Set struct {
	now   func() time.Time
	rules []*compiled
}

// NewSet makes a set. A rule that is identical in the old set keeps its count. An invalid rule is an *Error.
func NewSet(rules []Rule, old *Set, now func() time.Time) (*Set, error) {
	if err := checkCount(rules); err != nil {
		return nil, err
	}
	s, seen, archives := &Set{now: now}, map[string]bool{}, 0
	for _, r := range rules {
		if r.Response.Archive != "" {
			archives++
		}
		c, err := compile(r)
		if err != nil {
			return nil, err
		}
		if seen[r.ID] {
			return nil, &Error{ID: r.ID, Field: "id", Why: "two mocks have this id", Hint: "Leave the id out to get a new one."}
		}
		seen[r.ID] = true
		s.rules = append(s.rules, c)
	}
	if archives > MostArchives {
		return nil, fault.New(fault.TooMany, "limit of mocks that answer from archives reached (%d)", MostArchives).
			WithHint("%s lists the mocks; %s removes one", hint.Do("proxy_mocks"), hint.Do("proxy_unmock", "id", "ID"))
	}
	if old != nil {
		for _, was := range old.rules {
			for _, c := range s.rules {
				if c.ID == was.ID && reflect.DeepEqual(c.Rule, was.Rule) {
					c.hits, c.archive = was.hits, was.archive
				}
			}
		}
	}
	return s, nil
}

// Of is the set reduced to the rules of some owners. Both sets share the counts.
func (s *Set) Of(owners func(session string) bool) *Set {
	if s == nil || !slices.ContainsFunc(s.rules, func(c *compiled) bool { return !owners(c.Owner) }) {
		return s
	}
	some := &Set{now: s.now}
	for _, c := range s.rules {
		if owners(c.Owner) {
			some.rules = append(some.rules, c)
		}
	}
	return some
}

// Rules are the rules in their order.
func (s *Set) Rules() []Rule {
	if s == nil {
		return nil
	}
	var all []Rule
	for _, c := range s.rules {
		all = append(all, c.Rule)
	}
	return all
}

// Hits is the number of answers of each rule, by its id.
func (s *Set) Hits() map[string]int {
	all := map[string]int{}
	if s != nil {
		for _, c := range s.rules {
			all[c.ID] = c.counted()
		}
	}
	return all
}

// counted is the number of answers of the rule.
func (c *compiled) counted() int { return int(c.hits.Load()) }

func (c *compiled) spent() bool { return c.Times > 0 && c.counted() >= c.Times }

// take counts one more answer; ok is false when another request got the last answer in the meantime.
func (c *compiled) take() (hit int, ok bool) {
	for {
		had := c.hits.Load()
		if c.Times > 0 && had >= int64(c.Times) {
			return 0, false
		}
		if c.hits.CompareAndSwap(had, had+1) {
			return int(had) + 1, true
		}
	}
}

// Look says, from the head of a request, whether a rule could answer it, and whether that decision or the answer needs the body.
func (s *Set) Look(f *flow.Flow) (could, body bool) {
	if s == nil {
		return false, false
	}
	for _, c := range s.rules {
		if c.spent() {
			continue
		}
		can, needs := c.pattern.Could(f, pattern.AtRequest)
		if !can {
			continue
		}
		could, body = true, body || needs.RequestBody || c.needsBody() || c.Response.needsBody(f)
		if !needs.RequestBody && c.Times == 0 && !c.Response.mayPass() {
			break // this rule answers, so later rules are never asked
		}
	}
	return could, body
}

func (c *compiled) needsBody() bool {
	for _, h := range c.header {
		if h.needsBody() {
			return true
		}
	}
	return c.body.needsBody() || c.json.body
}

// Answer is the answer of the first matching rule, which it counts; nil when no rule matches.
func (s *Set) Answer(f *flow.Flow) *flow.Answer {
	if s == nil {
		return nil
	}
	for _, c := range s.rules {
		if c.spent() || !c.pattern.Match(f) {
			continue
		}
		from, has := c.found(f)
		if !has {
			continue
		}
		if hit, ok := c.take(); ok && from != nil {
			return from
		} else if ok {
			return c.answer(f, hit, s.now())
		}
	}
	return nil
}

func (c *compiled) answer(f *flow.Flow, hit int, now time.Time) *flow.Answer {
	m := &moment{flow: f, url: &url.URL{}, hit: hit, now: now}
	if u, err := url.Parse(f.Request.URL); err == nil {
		m.url = u
	}
	r := c.Response
	a := &flow.Answer{Rule: c.ID, Status: r.Status, Delay: r.Delay, Fault: r.Fault}
	if a.Status == 0 {
		a.Status = 200
	}
	for i, line := range r.Header {
		a.Header = append(a.Header, flow.Field{Name: line.Name, Value: c.header[i].header(m)})
	}
	kind := a.Header.Get("content-type")
	guess := ""
	switch {
	case len(r.JSON) > 0:
		a.Body, guess = c.json.text(m), "application/json"
	case r.BodyFile != "":
		body, err := docfile.Read(r.Folder, r.BodyFile, MostBody)
		if err != nil {
			return c.unreadable("body_file "+r.BodyFile, err)
		}
		a.Body, guess = body, kinds[strings.ToLower(filepath.Ext(r.BodyFile))]
	case len(r.Bytes) > 0:
		a.Body = r.Bytes
	default:
		a.Body = c.body.text(m, strings.Contains(strings.ToLower(kind), "json"))
	}
	if kind == "" && guess != "" {
		a.Header = append(a.Header, flow.Field{Name: "Content-Type", Value: guess})
	}
	return a
}

// kinds are the content types of files without a Content-Type line. The machine's own table differs from one machine to the next.
var kinds = map[string]string{
	".json": "application/json", ".html": "text/html; charset=utf-8", ".txt": "text/plain; charset=utf-8", ".xml": "application/xml",
	".js": "text/javascript", ".css": "text/css", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".svg": "image/svg+xml", ".pdf": "application/pdf",
}

// reason says why a file cannot be read, without the folders of this machine.
func reason(err error) string {
	switch large := (*regularfile.LargeError)(nil); {
	case errors.Is(err, fs.ErrNotExist):
		return "it is not there"
	case errors.As(err, &large):
		return large.Error()
	case errors.Is(err, regularfile.ErrNotRegular):
		return "it must be a regular file"
	case errors.Is(err, ErrNoArchive):
		return ErrNoArchive.Error()
	case errors.Is(err, docfile.ErrSlow):
		return docfile.ErrSlow.Error()
	}
	return "it cannot be opened or lies outside the folder"
}
