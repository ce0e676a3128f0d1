package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/cli"
)

type pauseIn struct {
	Wait    float64 `json:"wait,omitempty" doc:"how long" min:"0" max:"300" unit:"s"`
	Timeout int     `json:"timeout_ms,omitempty" doc:"how long at most" min:"0" max:"60000" default:"5000" unit:"ms"`
	Path    op.Path `json:"projectPath,omitempty" doc:"a project"`
}

// shop is a catalogue of things that have names, and of one that takes its time.
func shop() *op.Catalogue {
	group := []string{"shop"}
	type apps struct {
		Apps []map[string]string `json:"apps"`
	}
	type devices struct {
		Devices []map[string]string `json:"devices"`
	}
	type refs struct {
		Refs []map[string]string `json:"refs"`
	}
	type target struct {
		Sim string `json:"sim,omitempty" doc:"simulator by name"`
	}
	type launch struct {
		target
		App string `json:"bundle_id" doc:"the app" cli:"arg"`
	}
	type touch struct {
		target
		Ref string `json:"ref,omitempty" doc:"a ref" match:"^@e[0-9]+$" cli:"arg"`
		Way string `json:"way,omitempty" doc:"how" enum:"softly,hard" cli:"arg"`
	}
	return op.NewCatalogue([]op.Op{
		op.New(op.Spec{Name: "pause", Groups: group, Summary: "Pause", Timeout: time.Hour},
			func(ctx context.Context, c *op.Call, in pauseIn) (pauseIn, error) {
				c.Progress("looking around")
				for left := int(in.Wait); left > 0; left-- {
					select {
					case <-ctx.Done():
						return in, ctx.Err()
					case <-time.After(time.Second):
					}
					if left < int(in.Wait)-1 {
						c.Report(op.Event{Message: "pausing", Done: in.Wait - float64(left), Total: in.Wait})
					}
				}
				return in, nil
			}),
		op.New(op.Spec{Name: "list_apps", Groups: group, Summary: "List apps", Hints: op.ReadOnly},
			func(ctx context.Context, _ *op.Call, in target) (apps, error) {
				if in.Sim == "Frozen" {
					<-ctx.Done()
					return apps{}, ctx.Err()
				}
				return apps{[]map[string]string{{"bundle_id": "com.x.shop", "name": "Shop"}, {"bundle_id": "com.x.maps", "name": "Maps"}}}, nil
			}),
		op.New(op.Spec{Name: "list_devices", Groups: group, Summary: "List devices", Hints: op.ReadOnly},
			func(context.Context, *op.Call, struct{}) (devices, error) {
				return devices{[]map[string]string{{"udid": "U-1", "name": "iPhone 16"}, {"udid": "U-2", "name": "iPad Air"}}}, nil
			}),
		op.New(op.Spec{Name: "list_refs", Groups: group, Summary: "List refs", Hints: op.ReadOnly},
			func(context.Context, *op.Call, target) (refs, error) {
				return refs{[]map[string]string{{"ref": "@e7", "what": `button "Log in"`}}}, nil
			}),
		op.New(op.Spec{Name: "launch", Groups: group, Summary: "Launch"},
			func(_ context.Context, _ *op.Call, in launch) (launch, error) { return in, nil }),
		op.New(op.Spec{Name: "touch", Groups: group, Summary: "Touch"},
			func(_ context.Context, _ *op.Call, in touch) (touch, error) { return in, nil }),
		op.New(op.Spec{Name: "state", Groups: group, Summary: "Tell the state", Passive: true},
			func(context.Context, *op.Call, struct{}) (struct{}, error) { return struct{}{}, nil }),
		op.New(op.Spec{Family: "other", Name: "launch_app_sim", Groups: group, Summary: "Launch as others do"},
			func(_ context.Context, _ *op.Call, in launch) (launch, error) { return in, nil }),
	}, op.Options{})
}

// shell is a command line over the shop.
type shell struct {
	cli.App
	out, errs buffer
	begun     int // connections that may start something
}

// buffer may be written while it is read.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newShell(c *op.Catalogue) *shell {
	s := &shell{}
	local := op.Local{Catalogue: c, Dir: "/project"}
	s.App = cli.App{
		Catalogue: c, Out: &s.out, Err: &s.errs, In: strings.NewReader(""),
		Connect: func(string) (op.Caller, error) { s.begun++; return local, nil },
		Peek:    func(string) (op.Caller, error) { return local, nil },
	}
	return s
}

func (s *shell) run(ctx context.Context, args ...string) ran {
	code := s.Main(ctx, args)
	return ran{code, s.out.String(), s.errs.String()}
}

// TestTimeFlagsAcceptUnits: a time takes its unit, on its own flag and, where that ends in a unit, on one without; a bare number is what
// the flag's name or help says, and is seconds where nothing says it. Flags may be spelled as the inputs are.
func TestTimeFlagsAcceptUnits(t *testing.T) {
	for line, want := range map[string]string{
		"pause":                                `{"timeout_ms":5000}`,
		"pause --timeout-ms 300":               `{"timeout_ms":300}`,
		"pause --timeout-ms 3s":                `{"timeout_ms":3000}`,
		"pause --timeout 3s":                   `{"timeout_ms":3000}`,
		"pause --timeout 500ms":                `{"timeout_ms":500}`,
		"pause --timeout 3":                    `{"timeout_ms":3000}`,
		"pause --timeout 0.5":                  `{"timeout_ms":500}`,
		"pause --timeoutMs 300":                `{"timeout_ms":300}`,
		"pause --wait 0":                       `{"timeout_ms":5000}`,
		"call pause {\"timeout_ms\":\"1m\"}":   `{"timeout_ms":60000}`,
		"call pause {\"timeout_ms\":\"300\"}":  `{"timeout_ms":300}`,
		"pause --projectPath x.xcodeproj":      `{"timeout_ms":5000,"projectPath":"/project/x.xcodeproj"}`,
		"pause --project-path=x.xcodeproj":     `{"timeout_ms":5000,"projectPath":"/project/x.xcodeproj"}`,
		"pause --timeout 3s --timeout-ms 300":  "--timeout-ms and --timeout name the same input",
		"pause --timeout 2m":                   "timeout_ms must be between 0 and 60000 milliseconds, not 120000",
		"pause --wait 6m":                      "wait must be between 0 and 300 seconds, not 360",
		"pause --wait long":                    "wait must be a number of seconds, or a time with its unit such as 3s or 500ms",
		"pause --timeout-ms 1.5ms":             "timeout_ms must be a whole number of milliseconds",
		"call pause {\"timeout_ms\":\"3day\"}": "timeout_ms must be a whole number",
	} {
		r := newShell(shop()).run(t.Context(), append(strings.Fields(line), "--raw")...)
		if strings.HasPrefix(want, "{") {
			if r.code != 0 || r.out != want+"\n" {
				t.Errorf("%s: %+v", line, r)
			}
			continue
		}
		if r.code != fault.ExitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: got %+v, want %s", line, r, want)
		}
	}
	help := newShell(shop()).run(t.Context(), "pause", "--help").out
	for _, want := range []string{"--wait time ", "(a number is seconds)", "--timeout time ", "(default 5)"} {
		if !strings.Contains(help, want) {
			t.Errorf("the help has no %q:\n%s", want, help)
		}
	}
}

// TestTimesHaveUnits: every input that is a time says so, so that it takes a unit on every surface.
func TestTimesHaveUnits(t *testing.T) {
	time := regexp.MustCompile(`(?i)(_ms$|timeout|duration|delay|^seconds$|\bseconds\b|\bmilliseconds\b)`)
	for _, o := range product.Catalogue().Ops() {
		for _, f := range o.Fields() {
			if (f.Kind == op.Int || f.Kind == op.Float) && f.Unit == 0 && (time.MatchString(f.Name) || time.MatchString(f.Doc)) {
				t.Errorf("%s %s: %q is a time without a unit", o.Family, o.Name, f.Name)
			}
		}
	}
}

// TestFamilyVerbsStandBelowFamilyWord: what other families call by their names stands below the family's word, which for the desktop's is
// app; the bare names still work, and no list shows them.
func TestFamilyVerbsStandBelowFamilyWord(t *testing.T) {
	c := product.Catalogue()
	for _, o := range c.Ops() {
		first, _, _ := strings.Cut(o.Verb, " ")
		word := o.Family
		if word == "desktop" {
			word = "app"
		}
		if o.Verb != "" && (first == word) != (o.Family != op.Core) {
			t.Errorf("%s_%s is called %q", o.Family, o.Name, o.Verb)
		}
	}
	all := newShell(c).run(t.Context(), "help", "all").out
	for old, now := range map[string]string{
		"boot-sim": "xcode boot-sim", "test-sim": "xcode test-sim", "button": "xcode button", "list-schemes": "xcode list-schemes",
		"debug-ui":  "app ui",
		"list-sims": "devices", "list-devices": "devices", "press_button": "press-button",
	} {
		one, other := newShell(c).run(t.Context(), old, "--help"), newShell(c).run(t.Context(), append(strings.Fields(now), "--help")...)
		if one.code != 0 || one.out != other.out || !strings.Contains(one.out, "ios-agent "+now) {
			t.Errorf("%s --help is not that of %s: %+v", old, now, one)
		}
		if strings.Contains(all, "\n  "+old+" ") {
			t.Errorf("help all shows %s", old)
		}
	}
}

// TestUnknownWordSuggestsNearestCommand: a word that is no command is a mistake wherever it stands, with what may have been meant.
func TestUnknownWordSuggestsNearestCommand(t *testing.T) {
	for line, want := range map[string]string{
		"pool nosuch":     "the commands of `ios-agent pool`: claim, cleanup, ensure, list, log, ",
		"pool liist":      "did you mean `ios-agent pool list`?",
		"help taap":       "did you mean `ios-agent help tap`",
		"help pool liist": "no help on",
		"xcode boot-smi":  "did you mean `ios-agent xcode boot-sim`?",
		"quern tap-elmnt": "ios-agent quern tap-element",
		"snapshott":       "snapshot",
		"--jsn":           "did you mean --json? --json: print one JSON envelope",
	} {
		r := newShell(product.Catalogue()).run(t.Context(), strings.Fields(line)...)
		if r.code != fault.ExitUsage || r.out != "" || !strings.HasPrefix(r.stderr, "INVALID_INPUT: ") || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: got %+v, want %s", line, r, want)
		}
	}
}

// TestOnlyTheNamedCommandIsCreated: a command that is no operation, such as mcp, does not wait for the verbs of all operations.
func TestOnlyTheNamedCommandIsCreated(t *testing.T) {
	for line, want := range map[string]bool{
		"serve": false, "--session x serve": false, "launch": false, "help all": true, "nosuch": true,
	} {
		s := newShell(shop())
		s.Alone = []string{"serve"}
		var made []string
		serve := &cobra.Command{Use: "serve", RunE: func(*cobra.Command, []string) error { return nil }}
		s.Main(t.Context(), strings.Fields(line), serve)
		for _, c := range serve.Root().Commands() {
			made = append(made, c.Name())
		}
		if slices.Contains(made, "touch") != want {
			t.Errorf("%s makes %v", line, made)
		}
	}
}

// TestCompletionOffersMatchingValues: apps, devices, refs and values are offered, by what was typed so far; nothing is started for it, and
// nobody waits for a daemon that does not answer.
func TestCompletionOffersMatchingValues(t *testing.T) {
	for line, want := range map[string]string{
		"launch |":                  "Maps\tcom.x.maps\nShop\tcom.x.shop\n",
		"launch s":                  "Shop\tcom.x.shop\n",
		"launch --sim ip":           "iPad Air\tU-2\niPhone 16\tU-1\n",
		"touch |":                   "@e7\tbutton \"Log in\"\nsoftly\nhard\n",
		"touch @e7 |":               "softly\nhard\n",
		"touch @e7 h":               "hard\n",
		"launch --sim Frozen |":     "",
		"launch-app-sim --sim iph":  "iPhone 16\tU-1\n",
		"pause --project-path |":    "",
		"launch Shop |":             "",
		"launch --session mine sho": "Shop\tcom.x.shop\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newShell(shop())
			start := time.Now()
			r := s.run(t.Context(), append([]string{cobra.ShellCompRequestCmd}, strings.Split(strings.ReplaceAll(line, "|", ""), " ")...)...)
			got, _, _ := strings.Cut(r.out, ":")
			if r.code != 0 || got != want || s.begun != 0 || time.Since(start) > time.Second {
				t.Errorf("%s: %q, want %q; %d connections, %s", line, got, want, s.begun, time.Since(start))
			}
		})
	}
	s := newShell(shop())
	s.Peek = func(string) (op.Caller, error) { return nil, errors.New("nobody is there") }
	if r := s.run(t.Context(), cobra.ShellCompRequestCmd, "launch", ""); r.code != 0 || !strings.HasPrefix(r.out, ":") || s.begun != 0 {
		t.Errorf("without a daemon: %+v", r)
	}
	if r := newShell(shop()).run(t.Context(), cobra.ShellCompRequestCmd, "help", "ex"); !strings.HasPrefix(r.out, "exit-codes\n") {
		t.Errorf("help: %+v", r)
	}
}

// TestCompletionOffersNoHostileName: names that apps and devices chose are offered only if they are one plain line and no flag, and what
// describes them stays behind them on that line.
func TestCompletionOffersNoHostileName(t *testing.T) {
	type apps struct {
		Apps []map[string]string `json:"apps"`
	}
	type launch struct {
		App string `json:"bundle_id" doc:"the app" cli:"arg"`
	}
	list := apps{}
	for _, name := range []string{
		"--force", "-x", "a\nb", "a\r\x1b[2Jb", "a\tb", "\x1b]0;title\a", "\u202egnp.exe", "\u2028next", "\x00", "", "\u009b31m",
	} {
		list.Apps = append(list.Apps, map[string]string{"name": name, "bundle_id": "com.x.hostile"})
	}
	list.Apps = append(list.Apps, map[string]string{"name": "Straße $(reboot) 🙂", "bundle_id": "a\nb\x1b[2J\u202e\tc"})
	group := []string{"shop"}
	s := newShell(op.NewCatalogue([]op.Op{
		op.New(op.Spec{Name: "list_apps", Groups: group, Summary: "List apps", Hints: op.ReadOnly},
			func(context.Context, *op.Call, struct{}) (apps, error) { return list, nil }),
		op.New(op.Spec{Name: "launch", Groups: group, Summary: "Launch"},
			func(_ context.Context, _ *op.Call, in launch) (launch, error) { return in, nil }),
	}, op.Options{}))
	r := s.run(t.Context(), cobra.ShellCompRequestCmd, "launch", "")
	got, _, _ := strings.Cut(r.out, "\n:")
	word, about, _ := strings.Cut(got, "\t")
	if word != "Straße $(reboot) 🙂" || strings.ContainsFunc(about, func(r rune) bool { return r < ' ' || r == '\u202e' }) {
		t.Errorf("got %q, want only the name that can be typed, and a plain line about it", r.out)
	}
}

// TestPassiveOperationStartsNoDaemon: a passive operation asks a running daemon only.
func TestPassiveOperationStartsNoDaemon(t *testing.T) {
	s := newShell(shop())
	if r := s.run(t.Context(), "state"); r.code != 0 || s.begun != 0 {
		t.Errorf("%+v, %d", r, s.begun)
	}
}

// TestProgressAppearsAfterTwoSeconds: what takes longer than two seconds says on stderr what it does: on one line that is wiped at the end
// where that can be, else on lines of their own; what is quicker says nothing, and stdout has the answer alone.
func TestProgressAppearsAfterTwoSeconds(t *testing.T) {
	told := func(t *testing.T, live bool, args ...string) (r ran) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			s := newShell(shop())
			s.Live = live
			r = s.run(t.Context(), append(args, "--raw")...)
		})
		return r
	}
	if r := told(t, true, "pause", "--wait", "1s"); r.stderr != "" {
		t.Errorf("a quick call: %q", r.stderr)
	}
	if r := told(t, false, "pause", "--wait", "1s"); r.stderr != "" {
		t.Errorf("a quick call: %q", r.stderr)
	}
	plain := told(t, false, "pause", "--wait", "65s")
	lines := strings.Split(strings.TrimSpace(plain.stderr), "\n")
	if want := []string{"looking around (2s)", "pausing (4s)", "pausing (34s)", "pausing (1m4s)"}; !slices.Equal(lines, want) {
		t.Errorf("lines: %q", lines)
	}
	live := told(t, true, "pause", "--wait", "5s")
	frames := strings.Split(live.stderr, "\r\x1b[K")
	if frames[0] != "" || frames[len(frames)-1] != "" || !strings.Contains(frames[1], "looking around, 2s") ||
		!strings.Contains(live.stderr, "] ") || !strings.Contains(live.stderr, "%") || strings.Contains(live.stderr, "\n") {
		t.Errorf("frames: %q", frames)
	}
	for _, r := range []ran{plain, live} {
		var out map[string]any
		if json.Unmarshal([]byte(r.out), &out) != nil || strings.Contains(r.out, "pausing") {
			t.Errorf("stdout: %q", r.out)
		}
	}
}

// TestInterruptedCallExitsWithSignalCode: ctrl-C ends a call with 130 and one line, another signal with 128 and its number.
func TestInterruptedCallExitsWithSignalCode(t *testing.T) {
	for number, code := range map[int]int{2: 130, 15: 143} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(cli.Signalled{Number: number}) })
			r := newShell(shop()).run(ctx, "pause", "--wait", "1m")
			if r.code != code || r.out != "" || !strings.HasPrefix(r.stderr, "interrupted; ") || strings.Count(r.stderr, "\n") != 1 {
				t.Errorf("signal %d: %+v", number, r)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cli.Signalled{Number: 2}) })
		r := newShell(shop()).run(ctx, "pause", "--wait", "1m", "--json")
		var e op.Envelope
		if err := json.Unmarshal([]byte(r.out), &e); err != nil || e.Error.Code != fault.Cancelled || r.code != fault.ExitInterrupted {
			t.Errorf("%v: %+v", err, r)
		}
	})
}

// TestHelpListsEveryExitCode: every code and every exit code is in the table of the help.
func TestHelpListsEveryExitCode(t *testing.T) {
	text := newShell(shop()).run(t.Context(), "help", "exit-codes").out
	for _, code := range fault.Codes() {
		part := text[strings.Index(text, fmt.Sprintf("\n%4d  ", code.Exit())):]
		if part = part[:strings.Index(part+"\n\n", "\n\n")]; !strings.Contains(part, string(code)) {
			t.Errorf("%s is not below %d:\n%s", code, code.Exit(), part)
		}
	}
}
