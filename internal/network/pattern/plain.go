package pattern

import (
	"regexp"
	"strings"
	"unicode"
)

// Plain is the pattern of a request as lists print it: a method and a part of the path, POST /orders. mitmproxy would look for both words
// in the URL, where a method never is. A path is taken as it stands, unless it has signs that only regular expressions have. Any other
// text is as it was.
func Plain(text string) string {
	method, path, both := strings.Cut(strings.TrimSpace(text), " ")
	path = strings.TrimSpace(path)
	if !both || !isMethod(method) || !isPlace(path) || strings.ContainsAny(path, space+special) {
		return text
	}
	if !strings.ContainsAny(path, `*+^$|[]{}\`) {
		path = regexp.QuoteMeta(path)
	}
	return "~m ^" + method + "$ & ~u " + path
}

// isMethod reports whether a word is a method as requests have it.
func isMethod(word string) bool {
	return len(word) >= len("GET") && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsUpper(r) })
}

// isPlace reports whether a word is a path or a URL.
func isPlace(word string) bool {
	return strings.HasPrefix(word, "/") || strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://")
}
