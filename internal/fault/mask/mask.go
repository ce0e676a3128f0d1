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

// Set holds the secrets that a process has learned. It is safe for concurrent use; a nil Set hides nothing.
type Set struct {
	mu      sync.RWMutex
	secrets []secret // the longest first: a long secret may contain a short one
	added   []string // values in the order of their arrival
	traces  *Traces  // of secrets that only an earlier process knew; replaced, never changed in place
}

// Least is the minimum length of a secret, in characters. Shorter secrets are not hidden: they would hide innocent text everywhere.
const Least = 3

// Prefix begins the names of the environment variables that hold a user's secrets, which agents type by name.
const Prefix = "IOS_AGENT_SECRET_"

// most is the maximum number of secrets in a set. The set forgets the oldest first.
const most = 1000

// Add adds a secret: from now on, texts have shown in its place.
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
	all := append(slices.Clone(s.secrets), one) // readers may still use the old slice
	if len(s.added) > most {
		oldest := s.added[0]
		s.added = slices.Clone(s.added[1:])
		all = slices.DeleteFunc(all, func(o secret) bool { return o.value == oldest })
	}
	slices.SortStableFunc(all, func(a, b secret) int { return len(b.runes) - len(a.runes) })
	s.secrets = all
}

// AddTraces adds the secrets of an earlier process, which are known only by their traces.
func (s *Set) AddTraces(t Traces) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traces = &t
	for _, value := range s.added {
		s.traces = s.traces.without(value)
	}
}

// AddEnv adds the secrets in a client's environment. A screen may have shown them since before this process began.
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

// Values returns the secrets in the order of their arrival. Callers must not change the slice.
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

// Text returns a text without the secrets.
func (s *Set) Text(text string) string {
	secrets, traces := s.known()
	for _, one := range secrets {
		text = one.hide(text)
	}
	return traces.hide(text)
}

// JSON returns a JSON document without the secrets; everything else is unchanged. Invalid JSON is handled as a text.
func (s *Set) JSON(raw []byte) []byte {
	if s.Empty() || len(raw) == 0 {
		return raw
	}
	hidden := s.Text(string(raw)) // Text finds quoted secrets too
	if hidden == string(raw) {
		return raw
	}
	if !json.Valid(raw) {
		return []byte(hidden)
	}
	return scalars().ReplaceAllFunc(raw, func(literal []byte) []byte {
		text := string(literal)
		if literal[0] == '"' {
			_ = json.Unmarshal(literal, &text) // raw is valid JSON, so each literal is
		}
		hidden := s.Text(text) // a number may be a secret too, such as a code of digits
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

// scalars matches the strings of a JSON document, including keys, and its numbers.
var scalars = lazy(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*`)

// The names of secrets: parts match anywhere in the name of a variable, flag, header or query value, words match a whole word of it.
var (
	parts = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PGPASS", "CREDENTIAL", "COOKIE"}
	words = []string{"PASS", "PIN", "AUTH", "AUTHORIZATION", "BEARER", "OTP", "SIGNATURE"}
)

// Named reports whether a variable, flag, header or query value with this name is a secret.
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

// separated returns a name in capitals with an underscore between its words: DB_PASS for dbPass.
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
