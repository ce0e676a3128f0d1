package pattern

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/network/flow"
)

// operator is one operator, such as ~u.
type operator struct {
	takes   bool // a text follows it
	example string
	refused string // why it is not supported; empty: it is
	instead string // what to write in its place
	make    func(p *parser, at int, text string) (node, error)
}

// operators are all operators of mitmproxy.
var operators = sync.OnceValue(func() map[string]operator {
	all := map[string]operator{
		"all":       plain(leaf{fixed: always(yes, yes), holds: func(*flow.Flow) bool { return true }}),
		"http":      plain(leaf{fixed: always(yes, yes), holds: func(*flow.Flow) bool { return true }}),
		"q":         plain(leaf{fixed: always(yes, no), holds: func(f *flow.Flow) bool { return f.Response == nil }}),
		"s":         plain(leaf{fixed: always(no, yes), holds: func(f *flow.Flow) bool { return f.Response != nil }}),
		"e":         plain(leaf{fixed: always(no, no), holds: func(f *flow.Flow) bool { return f.Kind != "" || f.Error != "" }}),
		"a":         plain(leaf{parts: responseHead, holds: asset}),
		"websocket": plain(leaf{parts: requestHead, holds: websocket}),
		"replay":    plain(leaf{parts: requestHead, holds: func(f *flow.Flow) bool { return f.Repeats != "" }}),
		"replayq":   plain(leaf{parts: requestHead, holds: func(f *flow.Flow) bool { return f.Repeats != "" }}),
		"c":         {takes: true, example: "~c 404", make: code},

		"u":   regex("~u /orders", requestHead, inURL),
		"d":   regex("~d example.com", requestHead, inDomain),
		"m":   regex("~m POST", requestHead, inMethod),
		"src": regex("~src 127.0.0.1", requestHead, inSource),
		"dst": regex("~dst :8443", requestHead, inDestination),
		"h":   regex("~h \"accept: .*json\"", requestHead|responseHead, either(is.lines)),
		"hq":  regex("~hq \"accept: .*json\"", requestHead, of(requestLines, is.lines)),
		"hs":  regex("~hs \"server: nginx\"", responseHead, of(responseLines, is.lines)),
		"t":   regex("~t json", requestHead|responseHead, either(is.kind)),
		"tq":  regex("~tq json", requestHead, of(requestLines, is.kind)),
		"ts":  regex("~ts json", responseHead, of(responseLines, is.kind)),
		"b":   regex("~b token", requestBody|responseBody, inBodies),
		"bq":  regex("~bq token", requestBody, inSent),
		"bs":  regex("~bs token", responseBody, inReceived),
	}
	for _, name := range []string{"marked", "marker", "comment", "meta"} {
		all[name] = operator{refused: "flows have no marks, comments or metadata",
			instead: "Use a property of the request, such as ~u /orders or ~m POST."}
	}
	for _, name := range []string{"tcp", "udp", "dns"} {
		all[name] = operator{refused: "the proxy sees only HTTP and WebSocket", instead: "Leave it out, or write ~http or ~websocket."}
	}
	all["replays"] = operator{refused: "the proxy never replays answers", instead: "Write ~replay for replayed requests."}
	return all
})

func plain(l leaf) operator {
	return operator{make: func(*parser, int, string) (node, error) { return l, nil }}
}

func always(atRequest, atResponse truth) func(Phase) truth {
	return func(p Phase) truth {
		if p == AtRequest {
			return atRequest
		}
		return atResponse
	}
}

// is tests texts with a regular expression.
type is struct{ rx *regexp.Regexp }

func regex(example string, reads parts, holds func(*flow.Flow, is) bool) operator {
	return operator{takes: true, example: example, make: func(p *parser, at int, text string) (node, error) {
		rx, err := compile(p, at, text)
		if err != nil {
			return nil, err
		}
		return leaf{parts: reads, holds: func(f *flow.Flow) bool { return holds(f, is{rx}) }}, nil
	}}
}

func code(p *parser, at int, text string) (node, error) {
	want, err := strconv.Atoi(text)
	if err != nil || want < 100 || want > 599 || len(text) != 3 {
		return nil, p.wrong(at, "~c takes one status from 100 to 599", "Write ~c 404, or several: (~c 500 | ~c 503).")
	}
	return leaf{parts: responseHead, holds: func(f *flow.Flow) bool { return f.Response != nil && f.Response.Status == want }}, nil
}

func (is is) text(s string) bool { return is.rx.MatchString(s) }

// lines tests each header line, written "name: value".
func (is is) lines(h flow.Header) bool {
	return slices.ContainsFunc(h, func(f flow.Field) bool { return is.rx.MatchString(f.Name + ": " + f.Value) })
}

// kind tests the content type.
func (is is) kind(h flow.Header) bool {
	return slices.ContainsFunc(h, func(f flow.Field) bool {
		return strings.EqualFold(f.Name, "content-type") && is.rx.MatchString(f.Value)
	})
}

// body tests the stored part of a body, decoded. An empty body never matches.
func (is is) body(b *flow.Body) bool { return len(b.Content) > 0 && is.rx.Match(b.Content) }

func (is is) messages(f *flow.Flow, sent bool) bool {
	return slices.ContainsFunc(f.Messages, func(m flow.Message) bool { return m.Sent == sent && is.rx.Match(m.Data) })
}

func requestLines(f *flow.Flow) flow.Header { return f.Request.Header }

func responseLines(f *flow.Flow) flow.Header {
	if f.Response == nil {
		return nil
	}
	return f.Response.Header
}

// of tests the header lines of one side, either tests both sides.
func of(side func(*flow.Flow) flow.Header, look func(is, flow.Header) bool) func(*flow.Flow, is) bool {
	return func(f *flow.Flow, is is) bool { return look(is, side(f)) }
}

func either(look func(is, flow.Header) bool) func(*flow.Flow, is) bool {
	return func(f *flow.Flow, is is) bool { return look(is, requestLines(f)) || look(is, responseLines(f)) }
}

func inSent(f *flow.Flow, is is) bool { return is.body(&f.Request.Body) || is.messages(f, true) }

func inReceived(f *flow.Flow, is is) bool {
	return f.Response != nil && is.body(&f.Response.Body) || is.messages(f, false)
}

func inBodies(f *flow.Flow, is is) bool { return inSent(f, is) || inReceived(f, is) }

func inMethod(f *flow.Flow, is is) bool { return is.text(f.Request.Method) }

func inSource(f *flow.Flow, is is) bool { return f.Client.Address != "" && is.text(f.Client.Address) }

func inURL(f *flow.Flow, is is) bool { return is.text(f.Request.URL) }

// inDomain tests the server's name in the URL and in the Host header.
func inDomain(f *flow.Flow, is is) bool {
	u, err := url.Parse(f.Request.URL)
	if err == nil && is.text(u.Hostname()) {
		return true
	}
	said := f.Request.Header.Get("host")
	if name, _, err := net.SplitHostPort(said); err == nil {
		said = name
	}
	return said != "" && is.text(said)
}

func inDestination(f *flow.Flow, is is) bool {
	u, err := url.Parse(f.Request.URL)
	if err != nil {
		return false
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "wss": "443", "http": "80", "ws": "80"}[u.Scheme]
	}
	return is.text(u.Hostname() + ":" + port)
}

var assets = sync.OnceValue(func() is {
	return is{regexp.MustCompile(`(?i)text/javascript|application/(x-)?javascript|text/css|image/|font/|application/font`)}
})

func asset(f *flow.Flow) bool { return assets().kind(responseLines(f)) }

// websocket matches a request for a WebSocket, unless the answer refused it. HTTP/2 has no Upgrade.
func websocket(f *flow.Flow) bool {
	asked := strings.EqualFold(f.Request.Header.Get("upgrade"), "websocket") || f.Request.Header.Get("sec-websocket-version") != ""
	return asked && (f.Response == nil || f.Response.Status == 101 || f.Response.Status == 200)
}

// unknownOperator suggests an operator. Agents often write ~p and similar letters that mitmproxy does not have.
func unknownOperator(name string) (message, hint string) {
	if name == "" {
		return "~ needs the name of an operator", "Write ~u /orders for a piece of the URL, or put the ~ in quotes."
	}
	message = fmt.Sprintf("unknown operator ~%s", name)
	meant := map[string]string{
		"p": "u", "path": "u", "url": "u", "query": "u", "qs": "u", "host": "d", "domain": "d", "method": "m", "x": "m",
		"status": "c", "code": "c", "header": "h", "body": "b", "type": "t", "error": "e", "r": "s", "response": "s", "request": "q",
		"ws": "websocket",
	}[strings.ToLower(name)]
	if meant == "" {
		if near := nearest.To(name, usable(), 1); len(near) > 0 {
			meant = near[0]
		}
	}
	switch {
	case meant == "u":
		return message, "Write ~u for paths and queries: it looks at the whole URL, such as ~u /orders."
	case meant != "" && operators()[meant].example != "":
		return message, fmt.Sprintf("Did you mean ~%s? Write %s.", meant, operators()[meant].example)
	case meant != "":
		return message, fmt.Sprintf("Did you mean ~%s?", meant)
	}
	return message, "Operators are ~" + strings.Join(usable(), " ~") + "."
}

// Operators are the names of all operators, including the unsupported ones.
func Operators() []string { return slices.Sorted(maps.Keys(operators())) }

func usable() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(operators())) {
		if operators()[name].refused == "" {
			names = append(names, name)
		}
	}
	return names
}
