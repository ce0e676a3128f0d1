package toolerror

import (
	"strconv"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

var (
	objectHead = lazyregexp.New(`Error Domain=(\S+) Code=(-?\d+)(?: "((?s:.*?))"(?: UserInfo=(?:0x[0-9a-f]+ )?\{|$|\}|,)` +
		`| UserInfo=(?:0x[0-9a-f]+ )?\{| "(.*)$|)`)
	objectKey = lazyregexp.New(`(?:^|, )([A-Za-z_][\w.]*)=`)
)

const maxObjects = 20

// parseObject reads the description of an NSError: Error Domain=D Code=N "text" UserInfo={Key=value, …}, whose values may contain further
// errors. Values are not quoted: each ends where the next key begins.
func parseObject(s string) *Error {
	var top, last *Error
	for range maxObjects {
		m := objectHead.FindStringSubmatchIndex(s)
		if m == nil {
			break
		}
		e := &Error{Domain: s[m[2]:m[3]]}
		e.Code, _ = strconv.Atoi(s[m[4]:m[5]])
		for _, g := range []int{6, 8} {
			if m[g] >= 0 {
				e.Message = s[m[g]:m[g+1]]
			}
		}
		rest := s[m[1]:]
		values := rest
		if next := strings.Index(rest, "Error Domain="); next >= 0 {
			values = rest[:next]
		}
		e.userInfo(values)
		if top == nil {
			top = e
		} else {
			last.Underlying = e
		}
		last, s = e, rest
	}
	return top
}

func (e *Error) userInfo(s string) {
	at := objectKey.FindAllStringSubmatchIndex(s, -1)
	for i, m := range at {
		end := len(s)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		key, value := s[m[2]:m[3]], strings.TrimRight(strings.TrimSpace(s[m[1]:end]), "}")
		switch key {
		case "NSLocalizedRecoverySuggestion":
			e.Suggestion = value
		case "NSLocalizedFailureReason":
			e.Reason = value
		case "NSUnderlyingError", "NSLocalizedDescription":
			if key == "NSLocalizedDescription" && e.Message == "" {
				e.Message = value
			}
		default:
			if e.Info == nil {
				e.Info = map[string]string{}
			}
			if len(e.Info) < maxLines {
				e.Info[key] = value
			}
		}
	}
}
