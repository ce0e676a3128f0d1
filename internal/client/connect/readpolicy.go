package connect

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/machine/docfile"
	"ios-agent/internal/op"
)

// The keys of a policy file.
const (
	keyAllow     = "allow"
	keyDeny      = "deny"
	keyApps      = "apps"
	keyForbidden = "forbidden_texts"
	keyConfirm   = "confirm"
	keyMaxSteps  = "max_steps"
)

var policyKeys = []string{keyAllow, keyDeny, keyApps, keyForbidden, keyConfirm, keyMaxSteps}

// ReadPolicy reads a policy file. Unknown keys are refused: a mistyped rule would protect nothing.
func ReadPolicy(path string, c *op.Catalogue) (Policy, error) {
	text, err := docfile.Read(filepath.Dir(path), filepath.Base(path), docfile.MostYAML)
	if err != nil {
		return Policy{}, fault.New(fault.PathError, "cannot read the policy %s: %w", path, err).
			WithHint("name a file of at most %d bytes that is not a link into another folder", docfile.MostYAML)
	}
	p, err := parsePolicy(string(text), c)
	if err != nil {
		return Policy{}, refusedPolicy("the policy "+docfile.Place(path, err), err)
	}
	return p, nil
}

// ParsePolicy is ReadPolicy without the file.
func ParsePolicy(raw []byte, c *op.Catalogue) (Policy, error) {
	p, err := parsePolicy(string(raw), c)
	if err != nil {
		return Policy{}, refusedPolicy(docfile.Place("the policy", err), err)
	}
	return p, nil
}

func refusedPolicy(place string, err error) error {
	hint := keysHint()
	if u := (*unknown)(nil); errors.As(err, &u) {
		hint = u.hint()
	}
	return fault.New(fault.InvalidInput, "%s: %s", place, docfile.Reason(err)).WithHint("%s", hint)
}

func keysHint() string { return "the keys are " + strings.Join(policyKeys, ", ") }

// unknown is an invalid name in a policy, with similar valid names.
type unknown struct {
	*docfile.Problem
	near  []string
	known string // the valid names
}

func (u *unknown) hint() string {
	if len(u.near) == 0 {
		return u.known
	}
	return "did you mean " + strings.Join(u.near, " or ") + "?"
}

func (u *unknown) Unwrap() error { return u.Problem }

func parsePolicy(text string, c *op.Catalogue) (Policy, error) {
	var p Policy
	doc, err := docfile.YAML(text)
	if err != nil {
		return p, err
	}
	for _, key := range slices.Sorted(maps.Keys(doc.Tree)) {
		if !slices.Contains(policyKeys, key) {
			return p, &unknown{&docfile.Problem{Line: doc.LineOf(key), Message: "unknown key"},
				nearest.To(key, policyKeys, 1), keysHint()}
		}
	}
	var wrong [6]error
	p.Allow, wrong[0] = doc.Texts(keyAllow)
	p.Deny, wrong[1] = doc.Texts(keyDeny)
	p.Apps, wrong[2] = doc.Texts(keyApps)
	p.Forbidden, wrong[3] = doc.Texts(keyForbidden)
	p.Confirm, wrong[4] = doc.One(keyConfirm)
	p.MaxSteps, wrong[5] = doc.Count(keyMaxSteps)
	if err := errors.Join(wrong[:]...); err != nil {
		return p, err
	}
	if p.Confirm != "" && p.Confirm != "never" && p.Confirm != "always" {
		return p, &docfile.Problem{Line: doc.LineOf(keyConfirm), Message: "confirm must be never or always"}
	}
	if slices.ContainsFunc(p.Forbidden, func(s string) bool { return plain(s) == "" }) {
		return p, &docfile.Problem{Line: doc.LineOf(keyForbidden), Message: "a forbidden text is empty: it would forbid everything"}
	}
	return p.resolved(doc, c)
}

// resolved has the catalogue's names of operations.
func (p Policy) resolved(doc docfile.Document, c *op.Catalogue) (Policy, error) {
	for _, rule := range []struct {
		key   string
		names []string
	}{{keyAllow, p.Allow}, {keyDeny, p.Deny}} {
		for i, name := range rule.names {
			o, near, ok := operation(name, c)
			problem := &docfile.Problem{Line: doc.LineOf(rule.key)}
			if !ok {
				problem.Message = fmt.Sprintf("item %d of %s does not name an operation that can be offered", i+1, rule.key)
				return p, &unknown{problem, near, "name a core operation, such as tap_element, fill or press_key"}
			}
			if rule.key == keyAllow && unsupervised(o) {
				problem.Message = o.Name + " cannot be allowed: its actions cannot be checked"
				return p, problem
			}
			rule.names[i] = o.Name
			p.noKeys = p.noKeys || rule.key == keyDeny && pressesKeys(o)
		}
	}
	return p, nil
}

// operation finds the core operation with a name in any spelling: press_key, press-key, core_press_key, or its command line verb.
// Operations of other families are never offered, so their names do not count. Without a match, near has the similar names.
func operation(name string, c *op.Catalogue) (found op.Op, near []string, ok bool) {
	if o, err := c.Lookup(name); err == nil && o.Family == op.Core {
		return o, nil, true
	}
	var names []string
	for _, o := range c.Ops() {
		if o.Family != op.Core {
			continue
		}
		for _, spelled := range []string{o.Name, op.Core + "_" + o.Name, o.Verb} {
			if letters(spelled) == letters(name) && letters(name) != "" {
				return o, nil, true
			}
		}
		names = append(names, o.Name)
	}
	return op.Op{}, nearest.To(name, names, 3), false
}

// letters is a name without its separators and its case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_- ", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
