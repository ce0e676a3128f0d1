package ops

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/fault/mask"
	"ios-agent/internal/network/flow"
)

// hidden stands for what is secret.
const hidden = mask.Hidden

// secretHeaders are those whose values are secret whatever they hold, besides those that mask knows by their names.
var secretHeaders = []string{"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token", "x-csrf-token"}

func namesSecret(name string) bool {
	return slices.Contains(secretHeaders, strings.ToLower(name)) || mask.Named(name)
}

// Redacted is a flow as it may be shown: values of headers, queries, forms and JSON whose names say that they are secret are not in it.
// Hidden tells where. Messages of a WebSocket that are JSON are treated as bodies.
func Redacted(f flow.Flow) flow.Flow {
	note := func(place string) { f.Hidden = append(slices.Clip(f.Hidden), place) }
	f.Request.URL = redactURL(f.Request.URL, func(name string) { note("query " + name) })
	f.Request.Header = redactHeader(f.Request.Header, func(name string) { note("request header " + name) })
	f.Request.Trailer = redactHeader(f.Request.Trailer, func(name string) { note("request header " + name) })
	f.Request.Body.Content = redactBody(f.Request.Body.Content, func(name string) { note("request body " + name) })
	if f.Response != nil {
		r := *f.Response
		r.Header = redactHeader(r.Header, func(name string) { note("response header " + name) })
		r.Trailer = redactHeader(r.Trailer, func(name string) { note("response header " + name) })
		r.Body.Content = redactBody(r.Body.Content, func(name string) { note("response body " + name) })
		f.Response = &r
	}
	f.Messages = slices.Clone(f.Messages)
	for i := range f.Messages {
		f.Messages[i].Data = redactBody(f.Messages[i].Data, func(name string) { note("message " + name) })
	}
	return f
}

func redactHeader(h flow.Header, note func(string)) flow.Header {
	h = slices.Clone(h)
	for i, f := range h {
		if namesSecret(f.Name) && f.Value != "" {
			h[i].Value = hidden
			note(f.Name)
		}
	}
	return h
}

// redactURL hides a password before the host, and values of the query.
func redactURL(text string, note func(string)) string {
	if shown, found := mask.Credentials(text); len(found) > 0 {
		note("password")
		text = shown
	}
	at := strings.IndexByte(text, '?')
	if at < 0 {
		return text
	}
	query, fragment, cut := strings.Cut(text[at+1:], "#")
	query = redactForm(query, note)
	if cut {
		query += "#" + fragment
	}
	return text[:at+1] + query
}

// redactForm hides values of name=value pairs; all else stays byte for byte.
func redactForm(text string, note func(string)) string {
	pairs := strings.Split(text, "&")
	for i, pair := range pairs {
		name, value, is := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if is && value != "" && namesSecret(plain) {
			pairs[i] = name + "=" + hidden
			note(plain)
		}
	}
	return strings.Join(pairs, "&")
}

// redactBody hides values of a form or of JSON. A body that has none is the same bytes. One that is cut is no JSON any more: what stands
// behind the names of secrets is found in its text then.
func redactBody(body []byte, note func(string)) []byte {
	if len(body) == 0 {
		return body
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var tree any
	if d.Decode(&tree) == nil && !d.More() {
		found := false
		tree = redactTree(tree, func(name string) { found = true; note(name) })
		if !found {
			return body
		}
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if e.Encode(tree) != nil {
			return []byte(hidden)
		}
		return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	}
	text := string(body)
	if form := redactForm(text, note); form != text {
		return []byte(form)
	}
	line := jsonPair().ReplaceAllStringFunc(text, func(pair string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(pair, `"`), `"`)
		if !namesSecret(name) {
			return pair
		}
		note(name)
		return `"` + name + `":"` + hidden + `"`
	})
	if shown, found := mask.Credentials(line); len(found) > 0 {
		note("text")
		line = shown
	}
	if line == text {
		return body
	}
	return []byte(line)
}

// jsonPair is a name and a scalar value in a text that is JSON, or a part of it.
var jsonPair = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"[^"\\]{1,80}"\s*:\s*(?:"(?:[^"\\]|\\.)*"?|-?[0-9][0-9.eE+-]*)`)
})

func redactTree(value any, note func(string)) any {
	switch v := value.(type) {
	case map[string]any:
		for name, one := range v {
			if namesSecret(name) && one != nil && one != "" {
				v[name] = hidden
				note(name)
			} else {
				v[name] = redactTree(one, note)
			}
		}
	case []any:
		for i := range v {
			v[i] = redactTree(v[i], note)
		}
	}
	return value
}
