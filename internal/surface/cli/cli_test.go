package cli_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/cli"
	"ios-agent/test/surfacetest"
)

// terminal is a command line without a process.
type terminal struct {
	*surfacetest.World
	stdin    string
	sessions []string // asked for by --session
	down     error    // of whoever runs operations
}

func newTerminal() *terminal { return &terminal{World: surfacetest.New(op.JobAfter)} }

// ran is what became of one command line.
type ran struct {
	code        int
	out, stderr string
}

func (m *terminal) run(ctx context.Context, args ...string) ran {
	var out, errs bytes.Buffer
	app := &cli.App{
		Catalogue: m.Catalogue, Version: "1.2.3", Out: &out, Err: &errs, In: strings.NewReader(m.stdin),
		Connect: func(session string) (op.Caller, error) {
			m.sessions = append(m.sessions, session)
			return m.Caller(session), m.down
		},
	}
	code := app.Main(ctx, args)
	return ran{code, out.String(), errs.String()}
}

func (r ran) envelope(t *testing.T) (e op.Envelope) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.out), &e); err != nil {
		t.Fatalf("%v: %q", err, r.out)
	}
	if r.stderr != "" || strings.Count(r.out, "\n") != 1 {
		t.Errorf("more than an envelope: %q %q", r.out, r.stderr)
	}
	return e
}

// TestArgumentsBecomeOperationInput: flags, positional arguments and their kinds become the operation's input.
func TestArgumentsBecomeOperationInput(t *testing.T) {
	m := newTerminal()
	for line, want := range map[string]string{
		"say hello":                          `{"said":"hello","session":""}`,
		"say --text hello":                   `{"said":"hello","session":""}`,
		"say hello --times=2 --loud":         `{"said":"HELLO HELLO","session":""}`,
		"say hello --times 2 --loud=false":   `{"said":"hello hello","session":""}`,
		"say-it hello":                       `{"said":"hello","session":""}`,
		"say_it hello":                       `{"said":"hello","session":""}`,
		"other say hello":                    `{"said":"hello","session":""}`,
		"say hello --tags a --tags b":        `{"said":"hello","session":"","tags":["a","b"]}`,
		"say hello --out-file x/y":           `{"said":"hello","session":"","file":"/project/x/y"}`,
		"say hello --session mine":           `{"said":"hello","session":"mine"}`,
		"--session mine say hello":           `{"said":"hello","session":"mine"}`,
		"thing show t1 --names a":            `{"id":"t1","names":["a"]}`,
		"call show_thing {\"id\":\"t1\"}":    `{"id":"t1"}`,
		"call show-thing {\"ID\":\"t1\"}":    `{"id":"t1"}`,
		"call other_say_it {\"text\":\"x\"}": `{"said":"x","session":""}`,
	} {
		r := m.run(t.Context(), append(strings.Fields(line), "--raw")...)
		if r.code != 0 || r.out != want+"\n" || r.stderr != "" {
			t.Errorf("%s: %+v", line, r)
		}
	}
}

// TestWrongCommandLinesAreRefused: each is INVALID_INPUT with exit 2, one envelope with --json, and reaches no operation.
func TestWrongCommandLinesAreRefused(t *testing.T) {
	m := newTerminal()
	for line, want := range map[string]string{
		"frobnicate": "unknown command",
		"sya hello":  "did you mean `ios-agent say`?",
		"say hello --nonsense": "the flags of `ios-agent say`: --help, --json, --loud, --mood, --out-file, --raw, --session, --tags, " +
			"--text, --times",
		"say hello --tiems 2":             "did you mean --times? --times: how often",
		"say hello --times":               "needs an argument",
		"say hello --times 2 --times 3":   "given twice",
		"say hello there":                 `does not take the argument \"there\"`,
		"say":                             "text is required",
		"say hello --times many":          "times must be a whole number",
		"say hello --times 10":            "times must be between 1 and 9",
		"say hello --mood odd":            "mood must be one of calm, wild",
		"say hello --loud=perhaps":        "loud must be true or false",
		"thing show t1 --deep --names a":  "deep and names exclude each other",
		"thing frobnicate":                "the commands of `ios-agent thing`: show",
		"thing shwo t1":                   "did you mean `ios-agent thing show`?",
		"call":                            "accepts between 1 and 2 arg(s)",
		"call say_it not-json":            "not a JSON object",
		"call say_it {\"txet\":\"x\"}":    `did you mean \"text\"?`,
		"call say_it [1]":                 "not a JSON object",
		"call watch_ticks {\"abvoe\":1}":  `did you mean \"above\"?`,
		"ticks --abvoe 1":                 "did you mean --above? --above: only ticks above this",
		"say hello --session":             "needs an argument",
		"call read_watch_ticks {\"a\":1}": `has no input \"a\"`,
	} {
		r := m.run(t.Context(), append([]string{"--json"}, strings.Fields(line)...)...)
		e := r.envelope(t)
		if r.code != fault.ExitUsage || e.Error == nil || e.Error.Code != fault.InvalidInput || e.Error.Hint == "" ||
			!strings.Contains(r.out, want) {
			t.Errorf("%s: got exit %d, %s, want exit %d, %s and a hint with %q", line, r.code, r.out, fault.ExitUsage, fault.InvalidInput, want)
		}
		text := m.run(t.Context(), strings.Fields(line)...)
		if text.code != fault.ExitUsage || text.out != "" || !strings.HasPrefix(text.stderr, "INVALID_INPUT: ") ||
			!strings.Contains(text.stderr, "\nhint: ") {
			t.Errorf("%s, for people: %+v", line, text)
		}
	}
	unknown := m.run(t.Context(), "call", "say_itt", "--json")
	if e := unknown.envelope(t); unknown.code != fault.ExitUsage || e.Error.Code != fault.UnknownOperation ||
		!strings.Contains(e.Error.Hint, "did you mean `ios-agent say`?") {
		t.Errorf("got %+v, want UNKNOWN_OPERATION and the near verb", unknown)
	}
}

// TestEveryFaultHasItsExitCode: every code's own exit code comes out, with the message on stderr and nothing on stdout.
func TestEveryFaultHasItsExitCode(t *testing.T) {
	m := newTerminal()
	for _, code := range fault.Codes() {
		r := m.run(t.Context(), "fail", string(code))
		if r.code != code.Exit() || r.out != "" || r.stderr != string(code)+": it was to fail\nhint: do not ask for it\n" {
			t.Errorf("%s: %+v", code, r)
		}
	}
	if r := m.run(t.Context(), "call", "panic_now"); r.code != fault.ExitInternal || strings.Contains(r.stderr, "goroutine") {
		t.Errorf("a panic: %+v", r)
	}
	m.down = fault.New(fault.DaemonUnreachable, "nobody is there")
	if r := m.run(t.Context(), "say", "hello", "--json"); r.code != fault.DaemonUnreachable.Exit() ||
		r.envelope(t).Error.Message != "nobody is there" {
		t.Errorf("no daemon: %+v", r)
	}
	m.down = errors.New("an error without a code")
	if r := m.run(t.Context(), "say", "hello"); r.code != fault.ExitUsage || !strings.Contains(r.stderr, "an error without a code") {
		t.Errorf("an error without a code: %+v", r)
	}
}

// TestAnswerFormatFollowsFlags: text for people, one envelope with --json, the bare result with --raw; pictures are not printed.
func TestAnswerFormatFollowsFlags(t *testing.T) {
	m := newTerminal()
	if r := m.run(t.Context(), "say", "hello"); r.out != "said hello [virtual]\nnext: `ios-agent thing show ID`\n" || r.stderr != "" {
		t.Errorf("text: %+v", r)
	}
	if r := m.run(t.Context(), "show-call"); !json.Valid([]byte(r.out)) || r.stderr != "toolchain: virtual\n" {
		t.Errorf("an answer that is a document: %+v, want JSON alone on stdout", r)
	}
	e := m.run(t.Context(), "say", "hello", "--json", "--session", "mine").envelope(t)
	if e.V != op.EnvelopeVersion || e.Status != op.Success || e.Stdout != "said hello [virtual]" ||
		string(e.Result) != `{"said":"hello","session":"mine"}` ||
		e.Meta.Toolchain != "virtual" || e.Meta.Session != "mine" || e.Meta.Device.Name != "Sample" || e.Meta.Next[0] != "show_thing" {
		t.Errorf("envelope: %+v", e)
	}
	if r := m.run(t.Context(), "picture", "--json"); strings.Contains(r.out, "images") || string(r.envelope(t).Result) != `{"width":7}` {
		t.Errorf("picture: %+v", r)
	}
	kept := m.run(t.Context(), "fail", "OUTCOME_UNKNOWN", "--keep", "--json")
	if e := kept.envelope(t); kept.code != fault.ExitUnknown || string(e.Result) != `{"seen":"something"}` ||
		e.Error.Code != fault.OutcomeUnknown || e.Error.Details["asked"] != "OUTCOME_UNKNOWN" {
		t.Errorf("a fault with a result: %+v", kept)
	}
	if r := m.run(t.Context(), "fail", "OUTCOME_UNKNOWN", "--keep", "--raw"); r.out != "{\"seen\":\"something\"}\n" ||
		!strings.HasPrefix(r.stderr, "OUTCOME_UNKNOWN: ") {
		t.Errorf("raw: %+v", r)
	}
	// The text of a result that stands for a fault is on stdout, the fault on stderr.
	if r := m.run(t.Context(), "fail", "OUTCOME_UNKNOWN", "--keep"); !strings.Contains(r.out, "something") ||
		!strings.HasPrefix(r.stderr, "OUTCOME_UNKNOWN: ") {
		t.Errorf("text of a fault with a result: %+v", r)
	}
}

func TestHelpListsCommandsAndFlags(t *testing.T) {
	m := newTerminal()
	for line, wants := range map[string][]string{
		"help all": {"Text:", "say         Say a text", "thing       Show a thing", "call        Call any operation by name",
			"Start with `ios-agent demo`"},
		"help":            {"help all", "help exit-codes", "one group: text, thing, job"},
		"":                {"help all"},
		"--help":          {"help all"},
		"help text":       {"say", "Say a text", "other say"},
		"help exit-codes": {"   0  success;", "   5  timeout\n      AGENT_STARTING LIMIT_REACHED TIMEOUT", " 130  interrupted"},
		"help other":      {"say"},
		"other":           {"say"},
		"say --help": {"ios-agent say TEXT", "More about saying.", "ios-agent say hello --times 2", "--times int",
			"how often", "(calm, wild)", "--out-file path"},
		"help say":                     {"ios-agent say TEXT", "--times"},
		"thing":                        {"show", "Show a thing"},
		"thing show --help":            {"ios-agent thing show ID", "At most one of deep, names."},
		"--version":                    {"1.2.3"},
		"completion bash":              {"bash completion"},
		"__complete say hello --mood ": {"calm\nwild\n"},
		"__complete sa":                {"say\tSay a text"},
	} {
		args := strings.Fields(line)
		if strings.HasSuffix(line, " ") {
			args = append(args, "")
		}
		r := m.run(t.Context(), args...)
		for _, want := range wants {
			if r.code != 0 || !strings.Contains(r.out, want) {
				t.Errorf("%q: got exit %d and\n%s\nwant exit 0 and %q in it", line, r.code, r.out, want)
			}
		}
	}
	if len(m.sessions) != 0 {
		t.Error("help connects")
	}
}

func TestCallReadsInputFromStdin(t *testing.T) {
	m := newTerminal()
	m.stdin = `{"text": "from stdin"}`
	if r := m.run(t.Context(), "call", "say_it", "-", "--raw"); r.out != `{"said":"from stdin","session":""}`+"\n" {
		t.Errorf("%+v", r)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	m.sessions = nil
	r := m.run(t.Context(), "read-stdin", "--json")
	var out struct{ Said, File string }
	if err := json.Unmarshal(r.envelope(t).Result, &out); err != nil || out.Said != m.stdin || out.File != dir {
		t.Errorf("an operation that needs no daemon: %+v", r)
	}
	if len(m.sessions) != 0 {
		t.Error("an operation that needs no daemon connects")
	}
}

// TestStreamPrintsOneJSONLinePerItem: one JSON line an item until the caller stops, which is a good end; a refused stream is a fault.
func TestStreamPrintsOneJSONLinePerItem(t *testing.T) {
	m := newTerminal()
	for n := range 4 {
		m.Ticks.Add(surfacetest.Tick{N: n + 1})
	}
	ctx, cancel := context.WithCancel(t.Context())
	lines, ended := make(chan string, 10), make(chan int, 1)
	app := &cli.App{Catalogue: m.Catalogue, Out: writer(func(b []byte) { lines <- string(b) }),
		Err:     writer(func(b []byte) { lines <- "stderr: " + string(b) }),
		Connect: func(session string) (op.Caller, error) { return m.Caller(session), nil }}
	go func() { ended <- app.Main(ctx, []string{"ticks", "--above", "2"}) }()
	for n := 3; n <= 5; n++ {
		if line := <-lines; line != fmt.Sprintf("{\"n\":%d}\n", n) {
			t.Errorf("%q", line)
		}
		if n == 4 {
			m.Ticks.Add(surfacetest.Tick{N: 5}) // while it is watched
		}
	}
	cancel()
	if code := <-ended; code != fault.ExitOK || len(lines) != 0 {
		t.Errorf("exit %d, %d more lines", code, len(lines))
	}
	r := m.run(t.Context(), "call", "watch_ticks", `{"above":"many"}`, "--json")
	if e := r.envelope(t); r.code != fault.ExitUsage || e.Error.Code != fault.InvalidInput {
		t.Errorf("a wrong input: %+v", r)
	}
	// A reader that cannot take more ends the stream.
	app.Out = failing{}
	if code := app.Main(t.Context(), []string{"ticks"}); code != fault.ExitInternal {
		t.Errorf("a closed pipe: exit %d", code)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("closed") }

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }

// TestProductHelpCoversEveryVerbAndFlag looks at the catalogue as it is.
func TestProductHelpCoversEveryVerbAndFlag(t *testing.T) {
	m := newTerminal()
	m.Catalogue = product.Catalogue()
	help := m.run(t.Context(), "help", "all")
	for _, o := range m.Catalogue.Ops() {
		if o.Verb == "" {
			continue
		}
		words := strings.Fields(o.Verb)
		if !strings.Contains(help.out, "  "+words[0]+" ") {
			t.Errorf("help has no %s", words[0])
		}
		r := m.run(t.Context(), append(words, "--help")...)
		if r.code != 0 || !strings.Contains(r.out, o.Summary) {
			t.Errorf("%s --help: %+v", o.Verb, r)
		}
		for _, f := range o.Fields() {
			if shown := cmp.Or(f.TimeFlag(), f.Flag()); !f.NoFlag && !strings.Contains(r.out, "--"+shown) {
				t.Errorf("%s --help has no --%s", o.Verb, f.Flag())
			}
		}
	}
	for line, want := range map[string]string{
		"help all":                     "See the screen",
		"tap --help":                   "ios-agent tap @e7",
		"__complete list-sims --state": "",
	} {
		if r := m.run(t.Context(), strings.Fields(line)...); r.code != 0 || !strings.Contains(r.out, want) {
			t.Errorf("%s: %+v", line, r)
		}
	}
	if r := m.run(t.Context(), "__complete", "list-sims", "--state", ""); !strings.Contains(r.out, "booted\n") {
		t.Errorf("completion: %+v", r)
	}
	if r := m.run(t.Context(), "call", "snapshott"); !strings.Contains(r.stderr, "did you mean `ios-agent snapshot`") {
		t.Errorf("got %+v, want the near verb", r)
	}
}

func TestBarShowsPercentage(t *testing.T) {
	for want, e := range map[string]op.Event{
		"waiting": {Message: "waiting"},
		"[████████████░░░░░░░░░░░░]  50% half": {Message: "half", Done: 1, Total: 2},
		"[████████████████████████] 100% more": {Message: "more", Done: 5, Total: 2},
	} {
		if got := cli.Bar(e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
