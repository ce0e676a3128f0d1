package mock

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/machine/docfile"
	"ios-agent/internal/network/flow"
)

// A file of mocks has one key, mocks: a list of rules, each with the keys below. Only match is needed.
//
//	mocks:
//	  - match: ~m POST & ~u /orders
//	    status: 201
//	    headers: {Set-Cookie: [a=1, b=2]}
//	    json: {id: "{{counter}}", item: "{{request.json.item}}"}
//	    times: 1

// root is the only key of a file.
const root = "mocks"

// fields are the keys of a rule, each with its reader. A reader's error is a sentence about the value.
var fields = map[string]func(p docfile.Part, r *Rule) error{
	"id":          text(func(r *Rule) *string { return &r.ID }),
	"match":       text(func(r *Rule) *string { return &r.Pattern }),
	"body":        text(func(r *Rule) *string { return &r.Response.Body }),
	"body_file":   text(func(r *Rule) *string { return &r.Response.BodyFile }),
	"fault":       text(func(r *Rule) *string { return (*string)(&r.Response.Fault) }),
	"status":      count(func(r *Rule) *int { return &r.Response.Status }),
	"times":       count(func(r *Rule) *int { return &r.Times }),
	"headers":     func(p docfile.Part, r *Rule) (err error) { r.Response.Header, err = readHeader(p); return err },
	"body_base64": readBytes,
	"delay":       readDelay,
	"json":        readJSON,
}

// others maps words that people write to the keys.
var others = map[string]string{
	"pattern": "match", "url": "match", "path": "match", "request": "match", "filter": "match", "when": "match",
	"status_code": "status", "code": "status", "header": "headers", "delay_ms": "delay", "sleep": "delay", "wait": "delay",
	"file": "body_file", "bodyfile": "body_file", "base64": "body_base64", "data": "body", "text": "body", "count": "times", "repeat": "times",
	"error": "fault", "name": "id",
}

func wrongAt(p docfile.Part, format string, args ...any) error {
	return &docfile.Problem{Line: p.Line, Message: fmt.Sprintf(format, args...)}
}

func scalar(p docfile.Part, tag string) (string, bool) {
	if p.Scalar == nil || p.Scalar.Tag != tag {
		return "", false
	}
	return p.Scalar.Text, true
}

func text(where func(*Rule) *string) func(docfile.Part, *Rule) error {
	return func(p docfile.Part, r *Rule) error {
		s, ok := scalar(p, docfile.TagText)
		if !ok {
			return wrongAt(p, "it must be a text; put it in quotes")
		}
		*where(r) = s
		return nil
	}
}

func count(where func(*Rule) *int) func(docfile.Part, *Rule) error {
	return func(p docfile.Part, r *Rule) error {
		s, ok := scalar(p, docfile.TagNumber)
		n, err := strconv.Atoi(s)
		if !ok || err != nil || n < 0 {
			return wrongAt(p, "it must be a whole number, at least 0")
		}
		*where(r) = n
		return nil
	}
}

func readBytes(p docfile.Part, r *Rule) error {
	s, _ := scalar(p, docfile.TagText)
	raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil || p.Scalar == nil || p.Scalar.Tag != docfile.TagText {
		return wrongAt(p, "it must be base64")
	}
	r.Response.Bytes = raw
	return nil
}

func readDelay(p docfile.Part, r *Rule) error {
	s, _ := scalar(p, docfile.TagText)
	d, err := time.ParseDuration(s)
	if err != nil {
		return wrongAt(p, "it must be a time with its unit, such as 200ms or 1.5s")
	}
	r.Response.Delay = d
	return nil
}

// readHeader accepts a mapping whose values may be lists, or, where the order matters, a list of mappings.
func readHeader(p docfile.Part) (h flow.Header, err error) {
	if p.List != nil {
		for _, item := range p.List {
			lines, err := readHeader(docfile.Part{Line: item.Line, Scalar: item.Scalar, Keys: item.Keys})
			if err != nil {
				return nil, err
			}
			h = append(h, lines...)
		}
		return h, nil
	}
	if p.Scalar != nil {
		return nil, wrongAt(p, "it must be a mapping of names to values")
	}
	for _, k := range p.Keys {
		values := k.Value.List
		if values == nil {
			values = []docfile.Part{k.Value}
		}
		for _, v := range values {
			if v.Scalar == nil || v.Scalar.Tag == docfile.TagNull {
				return nil, wrongAt(v, "a header has a text, or a list of texts")
			}
			h = append(h, flow.Field{Name: k.Name, Value: v.Scalar.Text})
		}
	}
	return h, nil
}

func readJSON(p docfile.Part, r *Rule) error {
	tree, err := jsonOf(p)
	if err == nil {
		r.Response.JSON = encodeJSON(tree)
	}
	return err
}

var jsonNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`) })

func jsonOf(p docfile.Part) (any, error) {
	switch {
	case p.List != nil:
		out := make([]any, len(p.List))
		for i := range p.List {
			var err error
			if out[i], err = jsonOf(p.List[i]); err != nil {
				return nil, err
			}
		}
		return out, nil
	case p.Scalar == nil:
		out := map[string]any{}
		for _, k := range p.Keys {
			v, err := jsonOf(k.Value)
			if err != nil {
				return nil, err
			}
			out[k.Name] = v
		}
		return out, nil
	}
	switch s := *p.Scalar; {
	case s.Tag == docfile.TagText:
		return s.Text, nil
	case s.Tag == docfile.TagNull:
		return nil, nil
	case s.Tag == docfile.TagBool && (s.Text == "true" || s.Text == "false"):
		return s.Text == "true", nil
	case s.Tag == docfile.TagNumber && jsonNumber().MatchString(s.Text):
		return json.Number(s.Text), nil
	}
	return nil, wrongAt(p, "JSON lacks this value; put it in quotes if it is a text")
}

// parse reads the rules of one file. It reports all errors, not only the first.
func parse(folder, file string, data []byte) ([]Rule, []Problem) {
	doc, err := docfile.YAML(string(data))
	var top docfile.Part
	if err == nil {
		top, err = doc.Parts()
	}
	if err != nil {
		return nil, []Problem{problem(file, err)}
	}
	var rules []Rule
	var wrong []Problem
	say := func(err error) { wrong = append(wrong, problem(file, err)) }
	seen := map[string]int{}
	for _, k := range top.Keys {
		if k.Name != root {
			say(&docfile.Problem{Line: k.Line, Message: fmt.Sprintf("unknown key %s; write a list of rules under %s", shortened(k.Name), root)})
			continue
		}
		if k.Value.List == nil && (k.Value.Scalar == nil || k.Value.Scalar.Tag != docfile.TagNull) {
			say(wrongAt(k.Value, "%s must be a list of rules", root))
		}
		for _, item := range k.Value.List {
			r, bad := readRule(item, folder)
			if r.ID == "" {
				r.ID = derived(file, r.Pattern, seen[r.Pattern])
				seen[r.Pattern]++
			}
			if len(bad) == 0 {
				bad = checked(item, r)
			}
			for _, err := range bad {
				say(err)
			}
			rules = append(rules, r)
		}
	}
	return rules, wrong
}

func readRule(item docfile.Part, folder string) (r Rule, wrong []error) {
	if item.Keys == nil {
		return r, []error{wrongAt(item, "a rule has keys, such as match and status")}
	}
	has := false
	for _, k := range item.Keys {
		read, known := fields[k.Name]
		if !known {
			wrong = append(wrong, &docfile.Problem{Line: k.Line, Message: fmt.Sprintf("unknown key %s%s", shortened(k.Name), meant(k.Name))})
			continue
		}
		has = has || k.Name == "match"
		if err := read(k.Value, &r); err != nil {
			wrong = append(wrong, &docfile.Problem{Line: lineOf(err, k.Line), Message: k.Name + ": " + docfile.Reason(err)})
		}
	}
	if !has {
		wrong = append(wrong, wrongAt(item, "match is missing: the pattern of the requests"))
	}
	if r.Response.BodyFile != "" {
		r.Response.Folder = folder
	}
	return r, wrong
}

func lineOf(err error, otherwise int) int {
	if p, ok := errors.AsType[*docfile.Problem](err); ok {
		return p.Line
	}
	return otherwise
}

// checked finds errors in a rule whose keys were read, each at the line of its key.
func checked(item docfile.Part, r Rule) []error {
	err := Check(r)
	if err == nil && r.Response.BodyFile != "" {
		if _, unreadable := docfile.Read(r.Response.Folder, r.Response.BodyFile, MostBody); unreadable != nil {
			err = &Error{Field: "body_file", Why: reason(unreadable)}
		}
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return nil
	}
	line := item.Line
	for _, k := range item.Keys {
		if k.Name == e.Field {
			line = k.Line
		}
	}
	message := e.Field + ": " + e.Why
	if e.Hint != "" {
		message += " (" + e.Hint + ")"
	}
	return []error{&docfile.Problem{Line: line, Message: message}}
}

// meant suggests the key that an unknown name probably stands for.
func meant(name string) string {
	known := slices.Sorted(maps.Keys(fields))
	if key := others[strings.ToLower(name)]; key != "" {
		return "; did you mean " + key + "?"
	}
	if near := nearest.To(name, known, 1); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return "; the keys are " + strings.Join(known, ", ")
}

func shortened(name string) string {
	if len(name) > 40 {
		name = name[:40] + "…"
	}
	return strconv.QuoteToGraphic(strings.ToValidUTF8(name, "?"))
}

// derived is the id of a rule without one: the same at every load.
func derived(file, pattern string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", filepath.ToSlash(file), pattern, n))
	return idPrefix + hex.EncodeToString(sum[:4])
}
