// Package mask hides secrets in everything that leaves the process: answers, events, faults, logs, transcripts, recordings. A Set finds its
// secrets by their values, in every form in which programs write them: quoted, percent-encoded, in base64, in the other case. Named and
// Credentials find secrets by their names and places, such as a variable API_TOKEN or an Authorization header. Traces find the secrets of
// earlier processes without containing them.
package mask

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Set is the secrets that a process has come to know. It is safe for concurrent use; nil hides nothing.
type Set struct {
	mu      sync.RWMutex
	secrets []secret // the longest first: one may hold another
	added   []string // values in the order in which they came
	traces  *Traces  // of secrets that only an earlier process knew; never changed
}

// Least is the length from which on a secret is hidden: shorter ones would hide innocent text everywhere.
const Least = 3

// Prefix begins the variables of an environment that hold the secrets a user has typed by name.
const Prefix = "IOS_AGENT_SECRET_"

// most bounds how many secrets are known. The oldest is forgotten first.
const most = 1000

// Add makes a secret known: from now on shown stands in its place.
func (s *Set) Add(value, shown string) {
	one := newSecret(value, shown)
	if s == nil || len(one.runes) < Least {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.added, value) {
		return
	}
	s.added, s.traces = append(s.added, value), s.traces.without(value)
	all := append(slices.Clone(s.secrets), one) // readers may hold the old one
	if len(s.added) > most {
		oldest := s.added[0]
		s.added = slices.Clone(s.added[1:])
		all = slices.DeleteFunc(all, func(o secret) bool { return o.value == oldest })
	}
	slices.SortStableFunc(all, func(a, b secret) int { return len(b.runes) - len(a.runes) })
	s.secrets = all
}

// AddTraces has the secrets hidden that an earlier process knew.
func (s *Set) AddTraces(t Traces) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traces = &t
	for _, value := range s.added {
		s.traces = s.traces.without(value)
	}
}

// AddEnv makes the secrets of a client's environment known: they may stand on a screen since before this process began.
func (s *Set) AddEnv(env map[string]string) {
	for name, value := range env {
		if short, is := strings.CutPrefix(name, Prefix); is {
			s.Add(value, Name(strings.ToLower(short)))
		}
	}
}

func (s *Set) known() ([]secret, *Traces) {
	if s == nil {
		return nil, nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.secrets, s.traces
}

// Values are the secrets, in the order in which they came. Nobody writes to them.
func (s *Set) Values() []string {
	if s == nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.added
}

// Empty reports whether there is nothing to hide.
func (s *Set) Empty() bool {
	secrets, traces := s.known()
	return len(secrets) == 0 && traces.empty()
}

// Text is a text without the secrets.
func (s *Set) Text(text string) string {
	secrets, traces := s.known()
	for _, one := range secrets {
		text = one.hide(text)
	}
	return traces.hide(text)
}

// JSON is a JSON document without the secrets; all else is unchanged. Invalid JSON is handled as a text.
func (s *Set) JSON(raw []byte) []byte {
	if s.Empty() || len(raw) == 0 {
		return raw
	}
	hidden := s.Text(string(raw)) // it knows how JSON quotes
	if hidden == string(raw) {
		return raw
	}
	if !json.Valid(raw) {
		return []byte(hidden)
	}
	return scalars().ReplaceAllFunc(raw, func(literal []byte) []byte {
		text := string(literal)
		if literal[0] == '"' {
			_ = json.Unmarshal(literal, &text) // it is valid
		}
		hidden := s.Text(text) // a number may be one too: a code of digits
		if hidden == text {
			return literal
		}
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(hidden) // a string always encodes
		return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	})
}

// scalars are the strings, keys among them, and the numbers of a JSON document.
var scalars = lazy(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*`)

// Names in the words of a variable, a flag, a header or a query that stand before a secret: anywhere in the name, or as a whole word.
var (
	parts = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PGPASS", "CREDENTIAL", "COOKIE"}
	words = []string{"PASS", "PIN", "AUTH", "AUTHORIZATION", "BEARER", "OTP", "SIGNATURE"}
)

// Named reports whether the value of a variable, flag, header or query part of this name is a secret.
func Named(name string) bool {
	upper := strings.ToUpper(name)
	if slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(upper, p) }) {
		return true
	}
	for _, word := range strings.FieldsFunc(separated(name), func(r rune) bool { return !('A' <= r && r <= 'Z' || '0' <= r && r <= '9') }) {
		if slices.Contains(words, word) || strings.HasSuffix(word, "KEY") || strings.HasSuffix(word, "KEYS") {
			return true
		}
	}
	return false
}

// separated is a name in capitals, with its words apart: dbPass is DB_PASS.
func separated(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if lower && 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
		}
		lower = 'a' <= r && r <= 'z'
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String())
}
