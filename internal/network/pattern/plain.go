package pattern

import (
	"regexp"
	"strings"
	"unicode"
)

// Plain is the pattern for a request as lists print it: a method and a part of the path, POST /orders. mitmproxy would search for both
// words in the URL, which never contains a method. The path is literal, unless it has characters of a regular expression. Plain returns
// any other text unchanged.
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

// isMethod reports whether a word looks like a request's method.
func isMethod(word string) bool {
	return len(word) >= len("GET") && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsUpper(r) })
}

// isPlace reports whether a word is a path or a URL.
func isPlace(word string) bool {
	return strings.HasPrefix(word, "/") || strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://")
}
