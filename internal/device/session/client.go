package session

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// mostClient is how many characters of a client's name are kept.
const mostClient = 60

// From notes who works for the session: the client's name and the folder it works in. Others are told when they meet a device that
// the session holds.
func (s *Session) From(client, dir string) {
	said := ClientLine(client, dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	if said != "" {
		s.client = said
	}
}

// Client says who works for a session, as far as that is known; empty: it is not.
func (st *Store) Client(name string) string {
	st.mu.Lock()
	s := st.byID[name]
	st.mu.Unlock()
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// ClientLine names a client and its folder: from the user's home on, or by its own name alone, for the way to it is nobody's business.
func ClientLine(client, dir string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, client))
	said := strings.TrimSpace(string(runes[:min(len(runes), mostClient)]))
	if dir == "" {
		return said
	}
	return strings.TrimSpace(said + " in " + folder(dir))
}

func folder(dir string) string {
	if home, err := os.UserHomeDir(); err == nil && home != "" {
		if below, err := filepath.Rel(home, dir); err == nil && below == "." {
			return "~"
		} else if err == nil && filepath.IsLocal(below) {
			return filepath.Join("~", below)
		}
	}
	return filepath.Join("…", filepath.Base(dir))
}
