// Package mock answers requests in place of a server. A Rule says which requests it matches, what it answers, and how it fails; a Set
// applies rules in their order. Rules come from calls, from YAML files in a folder, and from captured flows. Only Load, Try and the
// answers themselves may read files.
package mock

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/pattern"
)

// Limits.
const (
	MostRules = 1000
	MostBody  = 10 << 20
	MostDelay = 10 * time.Minute

	mostValues = 200 // values in a body; each may be as large as a request's body
)

// Rule answers the requests of a pattern. Of several matching rules the first answers.
type Rule struct {
	ID       string   `json:"id"` // mock_ and 8 hexadecimal digits
	Pattern  string   `json:"pattern"`
	Response Response `json:"response"`
	Times    int      `json:"times,omitempty"` // number of requests that it answers; later ones go to the rules after it; 0: all
	Owner    string   `json:"owner,omitempty"` // the session that made the rule
}

// Response is the answer of a rule. It has at most one of Body, Bytes, JSON and BodyFile. Body, the texts in JSON and the values of
// header lines are templates; Bytes and the file are sent unchanged.
type Response struct {
	Status   int             `json:"status,omitempty"` // 0 is 200
	Header   flow.Header     `json:"header,omitempty"`
	Body     string          `json:"body,omitempty"`
	Bytes    []byte          `json:"bytes,omitempty"`
	JSON     json.RawMessage `json:"json,omitempty"`
	BodyFile string          `json:"body_file,omitempty"` // name in Folder
	Folder   string          `json:"folder,omitempty"`    // where the rule was loaded from
	Delay    time.Duration   `json:"delay,omitempty"`     // before the answer begins
	Fault    flow.Fault      `json:"fault,omitempty"`
	// Source is another origin of the answers; files in a folder of mocks cannot use it.
	Source
}

// NewID makes an id.
func NewID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it never fails
	return idPrefix + hex.EncodeToString(b[:])
}

const idPrefix = "mock_"

var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^mock_[0-9a-f]{8}$`) })

// Put adds a rule at the end. A rule with an existing id replaces the old one, also at the limit.
func Put(rules []Rule, r Rule) ([]Rule, error) {
	out := slices.Clone(rules)
	if i := slices.IndexFunc(out, func(o Rule) bool { return o.ID == r.ID }); i >= 0 {
		out[i] = r
		return out, nil
	}
	out = append(out, r)
	return out, checkCount(out)
}

// checkCount refuses more rules than MostRules.
func checkCount(rules []Rule) error {
	if len(rules) <= MostRules {
		return nil
	}
	return fault.New(fault.TooMany, "mock limit reached (%d)", MostRules).
		WithHint("%s removes the mocks that this session made with calls", hint.Do("proxy_unmock", "all", true))
}

// Error is an error in a rule.
type Error struct {
	ID    string
	Field string // of the YAML form, such as body
	Why   string
	Hint  string
	File  bool // the field names a file or folder that cannot be read
	cause error
}

func (e *Error) Error() string {
	if e.ID == "" {
		return fmt.Sprintf("mock: %s: %s", e.Field, e.Why)
	}
	return fmt.Sprintf("mock %s: %s: %s", e.ID, e.Field, e.Why)
}

// Unwrap gives the error of the pattern or template.
func (e *Error) Unwrap() error { return e.cause }

// Fault converts the error for a caller.
func (e *Error) Fault() *fault.Fault {
	code := fault.InvalidInput
	if e.File {
		code = fault.PathError
	}
	f := fault.New(code, "%w", e)
	if e.Hint != "" {
		f = f.WithHint("%s", e.Hint)
	}
	return f.With("field", e.Field)
}

// compiled is a rule that is ready to answer.
type compiled struct {
	Rule
	pattern *pattern.Pattern
	body    template
	json    jsonTemplate
	header  []template // one for each header line's value
	hits    *atomic.Int64
	archive *lazyArchive
}

// Check returns the first error of a rule, as an *Error.
func Check(r Rule) error {
	_, err := compile(r)
	return err
}

func compile(r Rule) (*compiled, error) {
	c := &compiled{Rule: r, hits: new(atomic.Int64)}
	wrong := func(field, why, hint string) error { return &Error{ID: r.ID, Field: field, Why: why, Hint: hint} }
	var err error
	if c.pattern, err = pattern.Parse(r.Pattern); err != nil {
		e := err.(*pattern.Error) // Parse returns only this type
		return nil, &Error{ID: r.ID, Field: "match", Why: e.Error(), Hint: e.Hint, cause: err}
	}
	a := r.Response
	switch bodies := countBodies(a); {
	case !idForm().MatchString(r.ID):
		return nil, wrong("id", "an id is mock_ and 8 hexadecimal digits", "Leave the id out to get a new one.")
	case !c.pattern.RequestTime():
		return nil, wrong("match", "it matches only after the server's answer, and a mock answers instead of the server",
			"Match requests, such as ~u /orders.")
	case a.Status != 0 && (a.Status < 200 || a.Status > 599):
		return nil, wrong("status", "a status is from 200 to 599", "Write 200, or another final status.")
	case r.Times < 0:
		return nil, wrong("times", "it must be 0 or more", "Write the number of answers; 0 is unlimited.")
	case a.Delay < 0 || a.Delay > MostDelay:
		return nil, wrong("delay", fmt.Sprintf("a delay is from 0 to %s", MostDelay), "Write a shorter delay, such as 2s.")
	case a.Fault != "" && !slices.Contains(faults, a.Fault):
		return nil, wrong("fault", "unknown fault", "Write reset, timeout or truncated.")
	case bodies > 1:
		return nil, wrong("body", "only one body is allowed", "Give one of body, json, body_base64 and body_file.")
	case len(a.Body) > MostBody || len(a.Bytes) > MostBody || len(a.JSON) > MostBody:
		return nil, wrong("body", fmt.Sprintf("it is larger than %d bytes", MostBody), "Answer with less.")
	case a.BodyFile != "" && (a.Folder == "" || !filepath.IsLocal(a.BodyFile)):
		return nil, wrong("body_file", "it must be a file in the folder of the mocks", "Move the file there, and write its name.")
	}
	if err := a.Source.check(); err != nil {
		return nil, wrong(err.field, err.why, err.hint)
	}
	c.archive = &lazyArchive{}
	return c, c.templates(wrong)
}

var faults = []flow.Fault{flow.Reset, flow.Timeout, flow.Truncated}

func countBodies(a Response) (n int) {
	for _, has := range []bool{
		a.Body != "", len(a.Bytes) > 0, len(a.JSON) > 0, a.BodyFile != "", a.Archive != "", a.Tree != "", a.Remote != "",
	} {
		if has {
			n++
		}
	}
	return n
}

// templates reads the templates and checks the header lines.
func (c *compiled) templates(wrong func(field, why, hint string) error) error {
	inTemplate := func(field string, err error) error {
		e := err.(*TemplateError) // parsing returns only this type
		return &Error{ID: c.ID, Field: field, Why: e.Error(), Hint: e.Hint, cause: err}
	}
	var err error
	if c.body, err = parseTemplate(c.Response.Body); err != nil {
		return inTemplate("body", err)
	}
	if len(c.Response.JSON) > 0 {
		if c.json, err = parseJSONTemplate(c.Response.JSON); err != nil {
			if _, is := err.(*TemplateError); is {
				return inTemplate("json", err)
			}
			return wrong("json", "it must be JSON", "Write JSON, or use body for other text.")
		}
	}
	for _, line := range c.Response.Header {
		if !flow.Token(line.Name) {
			return wrong("headers", fmt.Sprintf("invalid header name %q", line.Name), "Write letters, digits and dashes.")
		}
		if strings.ContainsAny(line.Value, "\r\n\x00") {
			return wrong("headers", fmt.Sprintf("the value of %s contains a line break", line.Name), "Write the value in one line.")
		}
		if framing(line.Name) {
			return wrong("headers", fmt.Sprintf("the proxy itself writes %s", line.Name), "Leave the header out.")
		}
		value, err := parseTemplate(line.Value)
		if err != nil {
			return inTemplate("headers", err)
		}
		c.header = append(c.header, value)
	}
	if n := c.body.values() + c.json.values; n > mostValues {
		return wrong("body", fmt.Sprintf("it has %d template values; the maximum is %d", n, mostValues), "Answer with fewer values.")
	}
	return nil
}

// framing reports whether a header describes where the body ends: only the proxy knows that.
func framing(name string) bool {
	return slices.ContainsFunc([]string{"content-length", "transfer-encoding", "connection"}, func(n string) bool {
		return strings.EqualFold(n, name)
	})
}

func decodeJSON(raw []byte) (tree any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("text after the end")
	}
	return tree, nil
}

func encodeJSON(tree any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(tree) // the tree came from JSON
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
