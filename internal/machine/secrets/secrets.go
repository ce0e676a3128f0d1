// Package secrets provides the secrets that an agent can type without seeing them. A secret is a file in a folder of the home that only its
// owner may read, or a variable of the client's environment; a text names it as $SECRET:NAME. Folder.Reveal replaces the names by the
// secrets, and adds each secret to a mask.Set first, so that no answer shows it.
package secrets

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
)

// Folder gives access to the secrets of a home: files in a folder of the home that only its owner may read, and variables of the client's
// environment.
type Folder struct {
	dir   string
	known *mask.Set
	typed *typed
}

// Of returns the secrets of a home. Reveal adds each revealed secret to known.
func Of(home string, known *mask.Set) Folder {
	return Folder{Dir(home), known, &typed{path: typedPath(home)}}
}

// Dir is the folder of a home's secrets.
func Dir(home string) string { return filepath.Join(home, "secrets") }

// secretName is compiled when it is first used, because most starts of the program reveal no secret.
var secretName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$SECRET:([A-Za-z0-9_.-]{1,64})`) })

// Know adds all secrets of the home to the known ones, and hides secrets that earlier processes typed: a screen may still show one. It
// skips a secret that cannot be read, because such a secret cannot be typed either.
func (s Folder) Know() {
	s.known.AddTraces(s.typed.traces())
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		if value, err := s.find(e.Name(), nil); err == nil {
			s.known.Add(value, mask.Name(e.Name()))
		}
	}
}

// Reveal replaces the names of secrets in a text by the secrets. From now on answers hide them.
func (s Folder) Reveal(text string, env map[string]string) (string, error) {
	var failed error
	out := secretName().ReplaceAllStringFunc(text, func(found string) string {
		name := secretName().FindStringSubmatch(found)[1]
		value, err := s.find(name, env)
		ofClient := env[variable(name)] != ""
		if err == nil && utf8.RuneCountInString(value) < mask.Least {
			err = fault.New(fault.InvalidInput, "the secret %q has fewer than %d characters and could not be hidden", name, mask.Least).
				WithHint("type it as a text, or make it longer").WithDispatch(fault.NotDispatched)
		}
		if err != nil {
			failed = err
			return ""
		}
		s.known.Add(value, found)
		if ofClient {
			_ = s.typed.remember(value, found) // a home that cannot be written causes faults elsewhere
		}
		return value
	})
	return out, failed
}

func (s Folder) find(name string, env map[string]string) (string, error) {
	if value := env[variable(name)]; value != "" {
		return value, nil
	}
	path := filepath.Join(s.dir, name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || strings.Trim(name, ".") == "":
		return "", fault.New(fault.SecretNotFound, "unknown secret %q", name).
			WithHint("write it to %s (mode 0600), or set %s", path, variable(name)).WithDispatch(fault.NotDispatched)
	case err != nil:
		return "", fault.New(fault.PathError, "the secret %q: %w", name, err).WithDispatch(fault.NotDispatched)
	case !info.Mode().IsRegular() || info.Size() > mostSecret:
		return "", fault.New(fault.PathError, "the secret %q is not a file of at most %d bytes", name, mostSecret).
			WithDispatch(fault.NotDispatched)
	case info.Mode().Perm()&0o077 != 0:
		return "", fault.New(fault.Forbidden, "other users can read the secret %q", name).WithHint("chmod 600 %s", path).
			WithDispatch(fault.NotDispatched)
	}
	value, err := os.ReadFile(path)
	if err != nil {
		return "", fault.New(fault.PathError, "the secret %q: %w", name, err).WithDispatch(fault.NotDispatched)
	}
	return strings.TrimRight(string(value), "\r\n"), nil
}

// variable is the name of the environment variable for a secret.
func variable(name string) string {
	return mask.Prefix + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(name))
}

// mostSecret is the maximum size of a secret in bytes; an agent types it, so it is short.
const mostSecret = 64 << 10
