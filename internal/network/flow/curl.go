package flow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// CurlOptions say where the body of a request is.
type CurlOptions struct {
	Body []byte // as it was on the wire
	File string // path of a file with the body; the command then names the file
}

// CurlError says why a request cannot be written as a command.
type CurlError struct{ Why string }

func (e *CurlError) Error() string { return e.Why }

// Curl is a command of a POSIX shell that sends the flow's request again, byte for byte: the header lines in their order and number,
// without the lines that curl adds by default. Texts stand in single quotes, in which no shell replaces anything. A binary body comes
// from printf, in octal, through a pipe, because POSIX has neither $'…' nor a zero byte in an argument. The flow is foreign data: a
// header that curl would read as more than a header, such as the name of a file, is refused.
func Curl(f Flow, o CurlOptions) (string, error) {
	url := f.Request.URL
	if rest, is := strings.CutPrefix(url, "ws"); is {
		url = "http" + rest
	}
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return "", &CurlError{fmt.Sprintf("unsupported URL %q: want http, https or a WebSocket", f.Request.URL)}
	}
	if strings.ContainsRune(url, 0) || !Token(f.Request.Method) {
		return "", &CurlError{fmt.Sprintf("%q %q cannot be written in a command", f.Request.Method, f.Request.URL)}
	}
	c := &curl{body: o.Body, file: o.File, v2: strings.HasPrefix(f.Request.Protocol, "HTTP/2")}
	c.add("curl")
	c.options(&f, url)
	if err := c.header(f.Request.Header); err != nil {
		return "", err
	}
	c.data()
	c.add(quote(url))
	return c.before + strings.Join(c.words, " "), nil
}

type curl struct {
	body   []byte
	file   string
	v2     bool
	before string // the command before the pipe
	words  []string
}

func (c *curl) add(words ...string) { c.words = append(c.words, words...) }

func (c *curl) sends() bool { return c.file != "" || len(c.body) > 0 }

func (c *curl) options(f *Flow, url string) {
	switch {
	case c.v2:
		c.add("--http2")
	case f.Request.Protocol == "HTTP/1.0":
		c.add("--http1.0")
	default:
		c.add("--http1.1")
	}
	if strings.ContainsAny(url, "[]{}") {
		c.add("--globoff")
	}
	if strings.Contains(url, "/.") {
		c.add("--path-as-is")
	}
	if accepts := strings.ToLower(f.Request.Header.Get("Accept-Encoding")); strings.Contains(accepts, "gzip") ||
		strings.Contains(accepts, "br") || strings.Contains(accepts, "deflate") || strings.Contains(accepts, "zstd") {
		c.add("--compressed")
	}
	switch method := f.Request.Method; {
	case method == "HEAD" && !c.sends():
		c.add("--head")
	case method == "GET" && !c.sends(), method == "POST" && c.sends():
	default:
		c.add("-X", quote(method))
	}
}

// leftOut are the headers of a connection, which HTTP/2 lacks.
var leftOut = []string{"connection", "proxy-connection", "keep-alive", "upgrade", "http2-settings", "transfer-encoding"}

func (c *curl) header(h Header) error {
	for _, f := range h {
		name := strings.ToLower(f.Name)
		switch {
		case strings.HasPrefix(f.Name, ":"):
			continue // pseudo header of HTTP/2; the URL has it
		case !Token(f.Name) || strings.ContainsAny(f.Value, "\r\n\x00"):
			return &CurlError{fmt.Sprintf("the header %q cannot be written in a command", f.Name)}
		case slices.Contains(leftOut, name) && c.v2, name == "proxy-connection":
			continue
		case name == "content-length" && (c.file != "" || f.Value != strconv.Itoa(len(c.body))):
			continue // curl writes the length
		}
		line := f.Name + ": " + f.Value
		if strings.TrimSpace(f.Value) == "" {
			line = f.Name + ";" // this is how curl sends a header without a value
		}
		c.add("-H", quote(line))
	}
	for _, own := range []string{"User-Agent", "Accept", "Content-Type", "Expect"} { // otherwise curl sends its own
		known := slices.ContainsFunc(h, func(f Field) bool { return strings.EqualFold(f.Name, own) })
		if !known && (c.sends() || own == "User-Agent" || own == "Accept") {
			c.add("-H", quote(own+":"))
		}
	}
	return nil
}

// mostArgument is the maximum size of a body in an argument: Linux allows 128 KiB. printf is built into the shell and has no such limit.
const mostArgument = 120_000

// data adds the body.
func (c *curl) data() {
	switch {
	case c.file != "":
		c.add("--data-binary", quote("@"+c.file))
	case len(c.body) == 0:
		return
	case len(c.body) <= mostArgument && utf8.Valid(c.body) && !slices.Contains(c.body, 0):
		c.add("--data-raw", quote(string(c.body)))
	default:
		c.before = "printf " + quote(octal(c.body)) + " | "
		c.add("--data-binary", "@-")
	}
}

// octal is a format for printf that prints the bytes.
func octal(body []byte) string {
	var b strings.Builder
	for _, one := range body {
		switch {
		case one == '\\' || one == '%':
			b.WriteByte(one)
			b.WriteByte(one)
		case one >= ' ' && one < 0x7f && one != '\'':
			b.WriteByte(one)
		default:
			fmt.Fprintf(&b, "\\%03o", one)
		}
	}
	return b.String()
}

// quote is a word for a POSIX shell. Plain words are unchanged.
func quote(word string) string {
	plain := word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_./:@%+,-", r))
	}) < 0
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
