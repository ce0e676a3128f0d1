package secrets_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/machine/secrets"
)

// home is a home with secrets, by their names.
func home(t *testing.T, texts map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.Mkdir(secrets.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(secrets.Dir(dir), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDirIsBelowTheHome(t *testing.T) {
	if got, want := secrets.Dir("/home/x"), filepath.Join("/home/x", "secrets"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRevealInsertsAndMasksSecrets(t *testing.T) {
	at := home(t, map[string]string{"pw": "hunter2\n", "crlf": "a b\r\n\r\n", "my.pass-word_1": " spaced ", "least": "abc"})
	for _, c := range []struct {
		what, text, want string
		env              map[string]string
		known            []string
	}{
		{what: "no secret", text: "plain $SECRET: $SECRET:! $secret:pw", want: "plain $SECRET: $SECRET:! $secret:pw"},
		{what: "a file", text: "x$SECRET:pw!", want: "xhunter2!", known: []string{"hunter2"}},
		{what: "two", text: "$SECRET:pw/$SECRET:crlf", want: "hunter2/a b", known: []string{"hunter2", "a b"}},
		{what: "only line ends are trimmed", text: "$SECRET:my.pass-word_1", want: " spaced ", known: []string{" spaced "}},
		{what: "the least length", text: "$SECRET:least", want: "abc", known: []string{"abc"}},
		{what: "the environment first", text: "$SECRET:pw", want: "from env", env: map[string]string{"IOS_AGENT_SECRET_PW": "from env"},
			known: []string{"from env"}},
		{what: "an empty variable is none", text: "$SECRET:pw", want: "hunter2", env: map[string]string{"IOS_AGENT_SECRET_PW": ""},
			known: []string{"hunter2"}},
		{what: "a variable for dots and hyphens", text: "$SECRET:a.b-c", want: "variable",
			env: map[string]string{"IOS_AGENT_SECRET_A_B_C": "variable"}, known: []string{"variable"}},
	} {
		known := &mask.Set{}
		got, err := secrets.Of(at, known).Reveal(c.text, c.env)
		if err != nil || got != c.want {
			t.Errorf("%s: got %q and %v, want %q", c.what, got, err, c.want)
		}
		if values := known.Values(); !slices.Equal(values, c.known) {
			t.Errorf("%s: got %q as known, want %q", c.what, values, c.known)
		}
	}
	known := &mask.Set{}
	if _, err := secrets.Of(at, known).Reveal("$SECRET:pw", nil); err != nil {
		t.Fatal(err)
	}
	if got, want := known.Text("the password is hunter2"), "the password is $SECRET:pw"; got != want {
		t.Errorf("an answer: got %q, want %q", got, want)
	}
}

func TestRevealRefusesInvalidSecrets(t *testing.T) {
	at := home(t, map[string]string{
		"short": "ab\n", "euro": "€€", "open": "hunter2", "group": "hunter2", "large": strings.Repeat("x", 64<<10+1),
	})
	dir := secrets.Dir(at)
	for name, mode := range map[string]os.FileMode{"open": 0o604, "group": 0o640} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		code  fault.Code
		words []string
	}{
		{"none", fault.SecretNotFound, []string{`unknown secret "none"`, "write it to " + filepath.Join(dir, "none") + " (mode 0600)",
			"set IOS_AGENT_SECRET_NONE"}},
		{"my-pw.2", fault.SecretNotFound, []string{filepath.Join(dir, "my-pw.2"), "set IOS_AGENT_SECRET_MY_PW_2"}},
		{".", fault.SecretNotFound, []string{`unknown secret "."`}},
		{"..", fault.SecretNotFound, []string{`unknown secret ".."`}},
		{"short", fault.InvalidInput, []string{`the secret "short" has fewer than 3 characters and could not be hidden`, "make it longer"}},
		{"euro", fault.InvalidInput, []string{`the secret "euro" has fewer than 3 characters`}},
		{"open", fault.Forbidden, []string{`other users can read the secret "open"`, "chmod 600 " + filepath.Join(dir, "open")}},
		{"group", fault.Forbidden, []string{`other users can read the secret "group"`}},
		{"folder", fault.PathError, []string{`the secret "folder" is not a file of at most 65536 bytes`}},
		{"large", fault.PathError, []string{`the secret "large" is not a file of at most 65536 bytes`}},
	} {
		known := &mask.Set{}
		got, err := secrets.Of(at, known).Reveal("$SECRET:"+c.name, nil)
		f := fault.From(err)
		if f == nil || f.Code != c.code || f.Dispatched != fault.NotDispatched {
			t.Errorf("%s: got %v, want %s, not dispatched", c.name, err, c.code)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(f.Message+"\n"+f.Hint, w) {
				t.Errorf("%s: got the message %q and the hint %q, want %q", c.name, f.Message, f.Hint, w)
			}
		}
		if got != "" || !known.Empty() {
			t.Errorf("%s: got %q and %q as known, want nothing", c.name, got, known.Values())
		}
	}
}

func TestLargestSecretIsTaken(t *testing.T) {
	text := strings.Repeat("x", 64<<10)
	got, err := secrets.Of(home(t, map[string]string{"large": text}), &mask.Set{}).Reveal("$SECRET:large", nil)
	if err != nil || got != text {
		t.Errorf("got %d bytes and %v, want %d", len(got), err, len(text))
	}
}

func TestSecretNameIsLimitedTo64Characters(t *testing.T) {
	name := strings.Repeat("n", 64)
	at := home(t, map[string]string{name: "hunter2"})
	got, err := secrets.Of(at, &mask.Set{}).Reveal("$SECRET:"+name+"n", nil)
	if err != nil || got != "hunter2n" {
		t.Errorf("got %q and %v, want the secret of the first 64 characters", got, err)
	}
}

func TestSecretsFolderMustBeAFolder(t *testing.T) {
	at := t.TempDir()
	if err := os.WriteFile(secrets.Dir(at), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := secrets.Of(at, &mask.Set{}).Reveal("$SECRET:pw", nil)
	f := fault.From(err)
	if f == nil || f.Code != fault.PathError || !strings.HasPrefix(f.Message, `the secret "pw": `) || f.Dispatched != fault.NotDispatched {
		t.Errorf("got %v, want PATH_ERROR about the secret", err)
	}
}

func TestKnowMasksUsableSecrets(t *testing.T) {
	at := home(t, map[string]string{"one": "first1\n", "two": "second2", "open": "third3"})
	if err := os.Chmod(filepath.Join(secrets.Dir(at), "open"), 0o644); err != nil {
		t.Fatal(err)
	}
	known := &mask.Set{}
	secrets.Of(at, known).Know()
	if got, want := known.Text("first1 second2 third3"), mask.Name("one")+" "+mask.Name("two")+" third3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	none := &mask.Set{}
	secrets.Of(t.TempDir(), none).Know()
	if !none.Empty() {
		t.Errorf("no folder: got %q as known, want nothing", none.Values())
	}
}

// TestNextProcessMasksTypedSecrets: what came from a client's environment and was typed, but for what is too old, and the
// last ones only. What the file holds gives none away, and a file that is damaged is begun anew.
func TestNextProcessMasksTypedSecrets(t *testing.T) {
	at := home(t, map[string]string{"kept": "kept-in-the-home"})
	file := filepath.Join(at, "typed.json")
	next := func() *mask.Set {
		known := &mask.Set{}
		secrets.Of(at, known).Know()
		return known
	}
	typed := secrets.Of(at, &mask.Set{})
	reveal := func(name, value string) {
		t.Helper()
		if _, err := typed.Reveal("$SECRET:"+name, map[string]string{"IOS_AGENT_SECRET_" + strings.ToUpper(name): value}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := typed.Reveal("$SECRET:kept", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(file); err == nil {
		t.Error("a secret of the home was remembered twice")
	}
	reveal("pw", "hunter2")
	data, err := os.ReadFile(file)
	if info, wrong := os.Stat(file); err != nil || wrong != nil || info.Mode().Perm() != 0o600 || strings.Contains(string(data), "hunter2") {
		t.Errorf("got %s, %v, %v, want a file of its owner without the secret", data, err, wrong)
	}
	if got, want := next().Text("hunter2 kept-in-the-home"), "$SECRET:pw $SECRET:kept"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for i := range 40 {
		reveal("n", "number "+strings.Repeat("x", i))
		reveal("pw", "hunter2") // is used, and stays
	}
	if got := next().Text("number  hunter2"); got != "number  $SECRET:pw" {
		t.Errorf("got %q, want the last ones hidden", got)
	}
	old := regexp.MustCompile(`"typed":\[.*\]`).ReplaceAllLiteralString(string(data), `"typed":["2020-01-02T15:04:05Z"]`)
	for what, content := range map[string]string{"old": old, "damaged": "{", "foreign": `{"key":"AAAA","traces":[{}],"typed":[]}`} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := next().Text("hunter2"); got != "hunter2" {
			t.Errorf("%s: got %q, want nothing known", what, got)
		}
		typed = secrets.Of(at, &mask.Set{})
		if reveal("pw", "hunter2"); next().Text("hunter2") != "$SECRET:pw" {
			t.Errorf("%s: the file is unchanged, want a new one", what)
		}
	}
}
