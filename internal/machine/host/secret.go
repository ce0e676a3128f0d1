package host

import (
	"bytes"
	"cmp"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"ios-agent/internal/fault/mask"
)

// How secrets are kept out of transcripts:
//
//   - mask.Named knows the names of secrets: TOKEN, PASSWD, PIN and so on, in either case.
//   - Of Cmd.Env, only the values of DEVELOPER_DIR, SIMCTL_CHILD_* and TEST_RUNNER_* are written, unless the name is that of a secret.
//   - In arguments, NAME=value hides the value when the name is that of a secret, and so does a flag of such a name for the argument
//     after it. mask.Credentials knows headers, and the passwords and queries of URLs.
//   - The secrets in Options.Secrets, such as typed secrets, are hidden by their value.
//   - The values found in these ways, and secrets in the daemon's environment, are hidden everywhere else: in
//     arguments, input, output and files, also quoted, percent-encoded and in base64. Values under eight bytes and paths that
//     exist are not hidden, because that would hide innocent text.
const secretMark = mask.Hidden

const shortestSecret = 8

var (
	shownEnv   = lazy(`^(DEVELOPER_DIR$|SIMCTL_CHILD_|TEST_RUNNER_)`)
	assignment = lazy(`^([^\s=:/?&]*)=`) // the excluded characters keep URLs out
)

// isSecretFlag reports whether the argument after this flag is a secret: the last word of the flag decides, as in --api-token.
func isSecretFlag(arg string) bool {
	return strings.HasPrefix(arg, "-") && mask.Named(lastWord().FindString(arg))
}

// lazy compiles an expression when it is first used, so that a start of the program that does not need it stays fast. It is like
// text/lazyregexp, which this package must not import.
func lazy(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var lastWord = lazy(`([A-Z]?[a-z0-9]*|[A-Z0-9]*)$`)

func settingsOf(env []string, v *redactor) []setting {
	var all []setting
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		s := setting{Name: v.text(name)}
		if shownEnv().MatchString(name) && !mask.Named(name) {
			value = v.text(value)
			s.Value = &value
		}
		all = append(all, s)
	}
	return all
}

// redact hides the arguments that are secrets by their names, and returns the hidden values.
func redact(argv []string) (shown, hidden []string) {
	shown = slices.Clone(argv)
	for i, arg := range argv {
		name := assignment().FindString(arg)
		switch {
		case i > 0 && isSecretFlag(argv[i-1]):
			shown[i], hidden = secretMark, append(hidden, arg)
		case name != "" && mask.Named(name):
			shown[i], hidden = name+secretMark, append(hidden, arg[len(name):])
		default:
			var found []string
			shown[i], found = mask.Credentials(arg)
			hidden = append(hidden, found...)
		}
	}
	return shown, hidden
}

// redactor hides secrets by their value.
type redactor struct {
	secrets [][]byte // the longest first: a long secret may begin with a short one
	first   [256]bool
	learned []string // the values of a mask.Set
}

func newRedactor(c Cmd) *redactor {
	_, found := redact(argvOf(c))
	for _, entry := range append(os.Environ(), c.Env...) {
		if name, value, _ := strings.Cut(entry, "="); mask.Named(name) {
			found = append(found, value)
		}
	}
	v := &redactor{}
	for _, s := range found {
		if len(s) < shortestSecret || s == secretMark || isPath(s) {
			continue
		}
		v.add(s)
	}
	return v
}

func (v *redactor) add(secret string) {
	for _, form := range mask.Forms(secret) {
		v.secrets = append(v.secrets, []byte(form))
		v.first[form[0]] = true
	}
	slices.SortFunc(v.secrets, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
}

// learn adds the secrets that a set has received since the last call.
func (v *redactor) learn(from *mask.Set) {
	values := from.Values()
	if slices.Equal(values, v.learned) {
		return
	}
	for _, s := range values {
		if !slices.Contains(v.learned, s) {
			v.add(s)
		}
	}
	v.learned = slices.Clone(values)
}

func isPath(s string) bool {
	if !strings.HasPrefix(s, "/") {
		return false
	}
	_, err := os.Lstat(s)
	return err == nil
}

// argv returns the arguments without secrets.
func (v *redactor) argv(c Cmd) []string {
	shown, _ := redact(argvOf(c))
	for i, arg := range shown {
		shown[i] = v.text(strings.ToValidUTF8(arg, "\uFFFD")) // JSON would replace invalid bytes in the same way
	}
	return shown
}

func argvOf(c Cmd) []string { return append([]string{c.Name}, c.Args...) }

func (v *redactor) text(s string) string { return string(v.all([]byte(s))) }

func (v *redactor) all(b []byte) []byte {
	shown, _ := v.hide(b, true)
	return shown
}

// hide replaces the secrets in b. Unless b is the last piece of its stream, it holds back an end of b that may be the beginning of a secret
// or of a character; the caller puts that before the next piece.
func (v *redactor) hide(b []byte, last bool) (shown, held []byte) {
	from := 0
	for i := v.next(b, 0); i < len(b); i = v.next(b, i) {
		n, wait := v.at(b[i:], last)
		if wait {
			return append(shown, b[from:i]...), b[i:]
		}
		if n > 0 {
			shown = append(append(shown, b[from:i]...), secretMark...)
			from = i + n
		}
		i += max(n, 1)
	}
	shown = append(shown, b[from:]...)
	if last {
		return shown, nil
	}
	cut := len(shown) - openRune(shown)
	return shown[:cut], shown[cut:]
}

// next returns the first index, from i on, at which a secret may begin. It is fast, because nearly all output is free of secrets.
func (v *redactor) next(b []byte, i int) int {
	if len(v.secrets) == 0 {
		return len(b)
	}
	for i < len(b) && !v.first[b[i]] {
		i++
	}
	return i
}

// at returns the length of the secret that b begins with. Wait means that more bytes are needed to decide.
func (v *redactor) at(b []byte, last bool) (n int, wait bool) {
	for _, s := range v.secrets {
		if bytes.HasPrefix(b, s) {
			return len(s), false
		}
		if !last && bytes.HasPrefix(s, b) {
			return 0, true
		}
	}
	return 0, false
}

// openRune returns how many bytes at the end of b are the beginning of an incomplete character.
func openRune(b []byte) int {
	for n := 1; n <= min(len(b), utf8.UTFMax-1); n++ {
		if end := b[len(b)-n:]; utf8.RuneStart(end[0]) {
			if utf8.FullRune(end) {
				return 0
			}
			return n
		}
	}
	return 0
}
