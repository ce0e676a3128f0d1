package mask

import (
	"regexp"
	"strings"
	"sync"
)

// Hidden stands for a secret that has no name.
const Hidden = "<secret>"

// The places before a secret in a text for a program: a user in a URL, a part of a query, a header.
var (
	userInfo = lazy(`([A-Za-z][A-Za-z0-9+.-]*://)([^/?#\s@"']+)(@)`)
	query    = lazy(`([?&;#])([^=&;#\s"']+)(=)([^&;#\s"']*)`)
	header   = lazy(`(?i)(\b(?:authorization|cookie|x-api-key)\s*:\s*(?:(?:bearer|basic|digest|token)\s+)?)([^\r\n"']+)`)
	bearer   = lazy(`(?i)(\b(?:bearer|basic)\s+)([A-Za-z0-9._~+/=-]{6,})`)
)

// lazy compiles an expression when it is first used, like text/lazyregexp, which this package must not import: a start of the program that
// does not need it does not pay for it.
func lazy(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Credentials is a text without what is secret by where it stands: users and passwords of URLs, parts of a query with such a name,
// headers. It gives also what it took out, because the same may stand elsewhere. A text that has nothing of the kind, as most lines of a
// log, is read once and costs little.
func Credentials(text string) (shown string, found []string) {
	if strings.Contains(text, "://") && strings.Contains(text, "@") {
		text = replace(userInfo(), text, func(m []string) (string, string) { return m[1] + Hidden + m[3], m[2] }, &found)
	}
	if strings.Contains(text, "=") && strings.ContainsAny(text, "?&;#") {
		text = replace(query(), text, func(m []string) (string, string) {
			if !Named(m[2]) || m[4] == "" {
				return m[0], ""
			}
			return m[1] + m[2] + m[3] + Hidden, m[4]
		}, &found)
	}
	if mentions(text, "authorization", "cookie", "x-api-key") {
		text = replace(header(), text, func(m []string) (string, string) { return m[1] + Hidden, m[2] }, &found)
	}
	if mentions(text, "bearer", "basic") {
		text = replace(bearer(), text, func(m []string) (string, string) { return m[1] + Hidden, m[2] }, &found)
	}
	return text, found
}

// mentions reports whether one of the words, which are in small letters, may stand in the text in any case. The patterns above take ſ for
// an s, and the sign of Kelvin for a k.
func mentions(text string, words ...string) bool {
	for i := range len(text) {
		for _, word := range words {
			if text[i]|0x20 == word[0] && strings.EqualFold(text[i:min(i+len(word), len(text))], word) {
				return true
			}
		}
	}
	return strings.Contains(text, "\u017f") || strings.Contains(text, "\u212a")
}

// replace calls fn for each match with its groups; fn returns the text to show and the text to hide.
func replace(r *regexp.Regexp, text string, fn func([]string) (shown, hidden string), found *[]string) string {
	return r.ReplaceAllStringFunc(text, func(match string) string {
		shown, hidden := fn(r.FindStringSubmatch(match))
		if hidden != "" && hidden != Hidden {
			*found = append(*found, hidden)
		}
		return shown
	})
}
