package page

import (
	"strconv"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// The selectors that selenium creates for By.id, By.name and By.className.
var (
	cssWord      = lazyregexp.New(`^([.#])((?:[^\\\s.#>+~:\[\],"']|\\.|\\[0-9a-fA-F]{1,6} ?)+)$`)
	cssAttribute = lazyregexp.New(`^\*?\[(id|name|class)=(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\]$`)
	cssEscape    = lazyregexp.New(`\\(?:([0-9a-fA-F]{1,6}) ?|(.))`)
)

// byCSS handles the CSS that selenium sends for an id, a name or a class. App screens support no other CSS.
func byCSS(t *Page, selector string, from *Node) ([]*Node, error) {
	if m := cssWord.FindStringSubmatch(selector); m != nil {
		if m[1] == "." {
			return byClass(t, unescaped(m[2]), from)
		}
		return byName(t, unescaped(m[2]), from)
	}
	if m := cssAttribute.FindStringSubmatch(selector); m != nil {
		if m[1] == "class" {
			return byClass(t, unescaped(m[2]+m[3]), from)
		}
		return byName(t, unescaped(m[2]+m[3]), from)
	}
	return nil, invalid("unsupported CSS selector %q on an app's screen", selector).
		hinted("find by accessibility id, class name, xpath, -ios predicate string or -ios class chain")
}

// unescaped is a word of CSS without its escapes: a backslash with the number of a character, or with the character itself.
func unescaped(text string) string {
	return cssEscape.ReplaceAllStringFunc(text, func(escape string) string {
		m := cssEscape.FindStringSubmatch(escape)
		if number, err := strconv.ParseUint(m[1], 16, 32); err == nil {
			return string(rune(number))
		}
		return strings.TrimPrefix(escape, `\`)
	})
}
