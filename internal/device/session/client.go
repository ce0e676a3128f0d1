package session

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// mostClient is the maximum length of a client's name, in characters.
const mostClient = 60

// From records the client of the session: its name and its folder. Other sessions see them at a device that this session holds.
func (s *Session) From(client, dir string) {
	said := ClientLine(client, dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	if said != "" {
		s.client = said
	}
}

// Client is the client of a session; empty if it is unknown.
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

// ClientLine is a client's name and folder. The folder is relative to the user's home, or only its last part, because its full path is
// private.
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
