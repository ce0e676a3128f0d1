package mask

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// awkward are secrets that change when they are written down.
var awkward = []string{
	`hunter2`, `pa"ss"word`, `back\slash\\two`, "tab\there", "new\nline", `<&'>`, `%41 +%2B`, "a b c d", `пароль-ключ`, "emoji🔑key",
	"zero\u200bwidth", "4111111111111111", strings.Repeat("long-", 40), `C:\new\table`, "\x1b[31mred", `"""`, `\\\`,
}

func TestText(t *testing.T) {
	for _, value := range awkward {
		var s Set
		s.Add(value, "$SECRET:a")
		js, _ := json.Marshal(value)
		twice, _ := json.Marshal(string(js))
		for name, text := range map[string]string{
			"plain": value, "JSON": string(js), "JSON in JSON": string(twice), "Go": fmt.Sprintf("%q", value),
			"query": url.QueryEscape(value), "path": url.PathEscape(value), "base64": base64.StdEncoding.EncodeToString([]byte(value)),
			"base64url": base64.URLEncoding.EncodeToString([]byte(value)), "hex": fmt.Sprintf("%x", value), "screen": screen(value),
			"screen in JSON": quoted(screen(value)), "upper": strings.ToUpper(value),
		} {
			if got := s.Text("before " + text + " after"); !strings.Contains(got, "$SECRET:a") || strings.Contains(got, value) {
				t.Errorf("%q as %s: %q", value, name, got)
			}
		}
	}
}

// screen is how a snapshot shows a text.
func screen(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\t", " ", "\u200b", "\ufffd", "\x1b", "\ufffd").Replace(s)
	if r := []rune(s); len(r) > 80 {
		s = string(r[:80]) + cut
	}
	return s
}

func quoted(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

func TestOthersStay(t *testing.T) {
	var s Set
	s.Add("hunter2", "*")
	s.Add("ab", "*") // too short to be hidden
	for text, want := range map[string]string{
		"hunter":               "hunter",
		"ab":                   "ab",
		"hunt…":                "*…",
		"hun…":                 "hun…",
		"hunter2hunter2":       "**",
		"a hunter2.":           "a *.",
		"":                     "",
		`{"a":1,"b":"\u00e9"}`: `{"a":1,"b":"\u00e9"}`,
	} {
		if got := s.Text(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	if got := (*Set)(nil).Text("hunter2"); got != "hunter2" {
		t.Error(got)
	}
}

// TestNamesStay: a secret may be a part of what stands for it.
func TestNamesStay(t *testing.T) {
	var s Set
	s.Add("secret", Name("shop"))
	s.Add("SHOP", Name("other"))
	for text, want := range map[string]string{
		"the secret of $SECRET:shop": "the $SECRET:shop of $SECRET:shop", "shop": "$SECRET:other",
		"$SECRET:shop, shop": "$SECRET:shop, $SECRET:other",
	} {
		if got := s.Text(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// TestFormatted: a field shows a number in groups.
func TestFormatted(t *testing.T) {
	var s Set
	s.Add("4111111111111111", "*")
	for _, text := range []string{"4111 1111 1111 1111", "4111-1111-1111-1111"} {
		if got := s.Text(text); got != "*" {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestJSON(t *testing.T) {
	var s Set
	s.Add(`a"b`, "*")
	s.Add("123456", "*")
	for in, want := range map[string]string{
		`{"z":1,"a":"x"}`:             `{"z":1,"a":"x"}`, // its order stays
		`{"v":"a\"b","n":[123456,7]}`: `{"v":"*","n":["*",7]}`,
		`{"a\"b":{"x":"y"}}`:          `{"*":{"x":"y"}}`,
		`a"b`:                         `*`,
		``:                            ``,
	} {
		if got := string(s.JSON([]byte(in))); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}

func TestBound(t *testing.T) {
	var s Set
	for i := range most + 10 {
		s.Add(fmt.Sprintf("secret-%06d", i), "*")
	}
	if len(s.secrets) != most || len(s.added) != most {
		t.Errorf("%d secrets are known", len(s.secrets))
	}
	if got := s.Text("secret-000000 secret-001009"); got != "secret-000000 *" {
		t.Error(got)
	}
}

func TestNamed(t *testing.T) {
	for _, name := range []string{
		"API_TOKEN", "passwd", "PGPASS", "DB_PASS", "dbPass", "pin", "USER_PIN", "passphrase", "Authorization", "AUTH",
		"X-API-Key", "cookie", "--otp", "apikey", "SIGNING_KEYS",
	} {
		if !Named(name) {
			t.Errorf("%s is the name of a secret", name)
		}
	}
	for _, name := range []string{"PATH", "spinner", "PWD", "compass", "GIT_AUTHOR_NAME", "scheme", "bypass", "-keyboard", "KEYCHAIN_PATH"} {
		if Named(name) {
			t.Errorf("%s is not the name of a secret", name)
		}
	}
}

func TestCredentials(t *testing.T) {
	for text, want := range map[string]string{
		"https://bob:hunter2@example.com/a":       "https://<secret>@example.com/a",
		"https://e.com/?a=1&access_token=abc&b=2": "https://e.com/?a=1&access_token=<secret>&b=2",
		"Authorization: Basic abcdef":             "Authorization: Basic <secret>",
		"curl -H 'Authorization: Bearer abc' x":   "curl -H 'Authorization: Bearer <secret>' x",
		"bearer abcdefgh":                         "bearer <secret>",
		"https://example.com/?q=shoes":            "https://example.com/?q=shoes",
		"a basic idea":                            "a basic idea",
	} {
		if got, found := Credentials(text); got != want || (got != text) != (len(found) > 0) {
			t.Errorf("%q: %q %q", text, got, found)
		}
	}
}

// BenchmarkJSON is a large screen and some secrets.
func BenchmarkJSON(b *testing.B) {
	var s Set
	for i := range 20 {
		s.Add(fmt.Sprintf("%chunter-%d", 'a'+i, i), "*")
	}
	node := `{"type":"Button","label":"Add to cart","frame":{"x":12,"y":340,"w":120,"h":44},"ref":"e12"},`
	raw := []byte("[" + strings.Repeat(node, 10_000) + "{}]")
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		s.JSON(raw)
	}
}
