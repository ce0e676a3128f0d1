package mask

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// awkward are secrets that change when they are written down.
var awkward = []string{
	`hunter2`, `pa"ss"word`, `back\slash\\two`, "tab\there", "new\nline", `<&'>`, `%41 +%2B`, "a b c d", `пароль-ключ`, "emoji🔑key",
	"zero\u200bwidth", "4111111111111111", strings.Repeat("long-", 40), `C:\new\table`, "\x1b[31mred", `"""`, `\\\`,
	"a\\\ttab", "100%",
}

func TestTextHidesEveryEncodingOfSecret(t *testing.T) {
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
			"query in small letters": strings.ToLower(url.QueryEscape(value)), "query in capitals": strings.ToUpper(url.QueryEscape(value)),
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

func TestTextKeepsOtherValues(t *testing.T) {
	var s Set
	for _, value := range []string{"hunter2", "tab\there", `a\\b`, "q-x", "123456", "ab" /* too short to be hidden */, ""} {
		s.Add(value, "*")
	}
	for text, want := range map[string]string{
		"hunter":                  "hunter",
		"ab":                      "ab",
		"hunt…":                   "*…",
		"hun…":                    "hun…",
		"hunter2hunter2":          "**",
		"a hunter2.":              "a *.",
		"":                        "",
		`{"a":1,"b":"\u00e9"}`:    `{"a":1,"b":"\u00e9"}`,
		"tabthere":                "tabthere", // a t is a tab only behind a backslash
		`a\b`:                     `a\b`,      // quoting adds backslashes and takes none away
		`q\x`:                     `q\x`,      // a backslash stands for no other character
		"q+x":                     "q+x",      // a plus stands for a blank only
		"50% %6 %68 %zz hunter%3": "50% %6 %68 %zz hunter%3",
		"hunter%33":               "hunter%33",
		`\u006`:                   `\u006`,
		"12345-x":                 "12345-x",
	} {
		if got := s.Text(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := (*Set)(nil).Text("hunter2"); got != "hunter2" {
		t.Error(got)
	}
	if got := (*Set)(nil).Values(); len(got) != 0 {
		t.Errorf("no set has the secrets %q, want none", got)
	}
}

// TestLongestSecretIsHiddenFirst: one secret may hold another, and one way to write it down may hold another.
func TestLongestSecretIsHiddenFirst(t *testing.T) {
	for _, order := range [][]string{{"hunter2", "hunter2-and-more"}, {"hunter2-and-more", "hunter2"}} {
		var s Set
		for _, value := range order {
			s.Add(value, fmt.Sprintf("<%d>", len(value)))
		}
		if got, want := s.Text("hunter2-and-more, hunter2"), "<16>, <7>"; got != want {
			t.Errorf("added as %q: got %q, want %q", order, got, want)
		}
		if got := s.Values(); !slices.Equal(got, order) {
			t.Errorf("the secrets are %q, want %q", got, order)
		}
	}
	var s Set
	s.Add(`abc\`, "*")
	if got := s.Text(`"abc\\"`); got != `"*"` {
		t.Errorf(`got %s, want "*"`, got)
	}
}

// TestSecretPlaceholdersAreNotMasked: a secret may be a part of what stands for it.
func TestSecretPlaceholdersAreNotMasked(t *testing.T) {
	var s Set
	s.Add("secret", Name("shop"))
	s.Add("SHOP", Name("other"))
	for text, want := range map[string]string{
		"the secret of $SECRET:shop": "the $SECRET:shop of $SECRET:shop", "shop": "$SECRET:other",
		"$SECRET:shop, shop": "$SECRET:shop, $SECRET:other", "$SECRET: shop": "$SECRET: $SECRET:other",
	} {
		if got := s.Text(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// TestGroupedDigitsAreHidden: a field shows a number in groups.
func TestGroupedDigitsAreHidden(t *testing.T) {
	var s Set
	s.Add("4111111111111111", "*")
	s.Add("1092345678", "*")
	for text, want := range map[string]string{
		"4111 1111 1111 1111": "*", "4111-1111-1111-1111": "*", "1-0-9-2345678": "*", "(109) 234-5678": "(*", "109\u00a0234.56/78": "*",
		"109 - 2345678": "*", "109 -- 2345678": "109 -- 2345678", "109_2345678": "109_2345678",
	} {
		if got := s.Text(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestJSONHidesSecretsAndKeepsOrder(t *testing.T) {
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

// TestLogsHideSecrets covers every place of a record: its message, its attributes, a group, and those of the logger.
func TestLogsHideSecrets(t *testing.T) {
	var s Set
	s.AddEnv(map[string]string{Prefix + "SHOP": "hunter2", "HOME": "/home/bob"})
	var out strings.Builder
	logger := slog.New(s.Handler(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	logger.Debug("hunter2 is not even written")
	logger.With("a", "hunter2").WithGroup("g").Info("got hunter2",
		"b", "https://u:pw@e.com", slog.Group("in", "c", errors.New("hunter2")), "n", 7,
	)
	want := `level=INFO msg="got $SECRET:shop" a=$SECRET:shop g.b=https://<secret>@e.com g.in.c=$SECRET:shop g.n=7` + "\n"
	if out.String() != want {
		t.Errorf("got  %swant %s", out.String(), want)
	}
}

func TestSetKeepsNewestSecrets(t *testing.T) {
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

func TestNamedDetectsSecretNames(t *testing.T) {
	for _, name := range []string{
		"API_TOKEN", "passwd", "PGPASS", "DB_PASS", "dbPass", "pin", "USER_PIN", "passphrase", "Authorization", "AUTH",
		"X-API-Key", "cookie", "--otp", "apikey", "SIGNING_KEYS", "dbAuth", "pinZone", "dataPin", "quizPin", "PIN:", "PIN/",
	} {
		if !Named(name) {
			t.Errorf("%s is the name of a secret", name)
		}
	}
	for _, name := range []string{
		"PATH", "spinner", "PWD", "compass", "GIT_AUTHOR_NAME", "scheme", "bypass", "-keyboard", "KEYCHAIN_PATH", "PIN0", "9PIN",
	} {
		if Named(name) {
			t.Errorf("%s is not the name of a secret", name)
		}
	}
}

func TestCredentialsAreFoundInText(t *testing.T) {
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
