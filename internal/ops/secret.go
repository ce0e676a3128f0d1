package ops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ios-agent/internal/fault"
)

// secrets are texts that an agent types without seeing them: files in a folder of the home that only its owner may read, or
// variables of the client's environment.
type secrets struct{ dir string }

// SecretsDir is where the secrets of a home are.
func SecretsDir(home string) string { return filepath.Join(home, "secrets") }

// SecretPrefix begins the variables of a client's environment that hold secrets.
const SecretPrefix = "IOS_AGENT_SECRET_"

var secretName = regexp.MustCompile(`\$SECRET:([A-Za-z0-9_.-]{1,64})`)

// reveal puts the secrets into a text, and remembers what to hide again.
func (s secrets) reveal(text string, env map[string]string) (string, hidden, error) {
	var hide hidden
	var failed error
	out := secretName.ReplaceAllStringFunc(text, func(found string) string {
		name := secretName.FindStringSubmatch(found)[1]
		value, err := s.find(name, env)
		if err != nil {
			failed = err
		}
		hide = append(hide, [2]string{value, found})
		return value
	})
	return out, hide, failed
}

func (s secrets) find(name string, env map[string]string) (string, error) {
	if value, ok := env[SecretPrefix+strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(name))]; ok && value != "" {
		return value, nil
	}
	path := filepath.Join(s.dir, name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || strings.Trim(name, ".") == "":
		return "", fault.New(fault.SecretNotFound, "there is no secret %q", name).
			WithHint("write it to %s (mode 0600), or set %s%s", path, SecretPrefix, strings.ToUpper(name)).WithDispatch(fault.NotDispatched)
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

// mostSecret bounds a secret: it is typed.
const mostSecret = 64 << 10

// hidden are pairs of a secret and what stands for it.
type hidden [][2]string

func (h hidden) in(text string) string {
	for _, pair := range h {
		if pair[0] != "" {
			text = strings.ReplaceAll(text, pair[0], pair[1])
		}
	}
	return text
}

// out hides the secrets in an answer: a field that is not secure shows what was typed.
func (h hidden) out(o ActionOut) ActionOut {
	if len(h) == 0 {
		return o
	}
	for i := range o.Diff {
		o.Diff[i] = h.in(o.Diff[i])
	}
	o.Screen = h.in(o.Screen)
	if o.lost != nil {
		o.lost = h.err(o.lost)
	}
	return o
}

// err hides the secrets in a fault; its details may hold the screen, and are left out.
func (h hidden) err(err error) error {
	if err == nil || len(h) == 0 {
		return err
	}
	f := fault.From(err)
	return fault.New(f.Code, "%s", h.in(f.Message)).WithHint("%s", h.in(f.Hint)).WithDispatch(f.Dispatched)
}
