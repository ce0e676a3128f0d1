package mask

import (
	"regexp"
	"strings"
	"sync"
)

// Hidden is the placeholder of a secret without a name.
const Hidden = "<secret>"

// Patterns of the places that contain secrets: the user in a URL, a value in a query, a header, a bearer or basic credential.
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

// Credentials returns a text without the secrets that it finds by their places: users and passwords of URLs, query values with the name of
// a secret, headers. It also returns the removed secrets, because other texts may contain them too. A text without such places, such as
// most lines of a log, costs little.
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
