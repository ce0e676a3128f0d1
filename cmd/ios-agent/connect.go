package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	connecting "ios-agent/internal/client/connect"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/op"
)

// connector are the flags of `ios-agent connect`.
type connector struct {
	goal, app, sim, udid      string
	exec, model, base, policy string
	anthropic, openai         bool
	steps, idle               int
	minutes                   float64
	patience                  time.Duration
	transcript                string
	restart, picture          bool
	env                       []string
}

// connectCommand lets a model or a program drive an app towards a goal.
func (p *program) connectCommand() *cobra.Command {
	var k connector
	c := &cobra.Command{
		Use: "connect --goal TEXT", Short: "Let a model or a program drive an app towards a goal", Args: cobra.NoArgs,
		Long: "Let a model or a program drive an app towards a goal: it is shown the screen and the actions there are, " +
			"and chooses one a turn.\n" +
			"A policy file says what it may do; every step is written to a transcript.\n\n" +
			"With --exec the program gets one line of JSON a turn on stdin (goal, screen, snapshot, last, prompt; in the first also " +
			"actions and instructions) " +
			"and answers with one:\n" +
			`{"action": "tap_element", "input": {"ref": "@e5"}}, or {"action": "done", "message": "…"}, ` +
			`or {"action": "fail", "message": "…"}.`,
		Example: `  ios-agent connect --goal "log in as ada" --app com.iosagent.shop --exec "./decide --fast"` + "\n" +
			`  ios-agent connect --goal "empty the cart" --anthropic --model NAME --policy policy.yaml` + "\n" +
			`  ios-agent connect --goal "empty the cart" --openai --base-url http://localhost:8080/v1 --model NAME`,
		RunE: func(c *cobra.Command, _ []string) error { return p.connect(c, k) },
	}
	f := c.Flags()
	f.StringVar(&k.goal, "goal", "", "the goal, in words")
	f.StringVar(&k.app, "app", "", "launch this app first (bundle id)")
	f.BoolVar(&k.restart, "restart", false, "end the app of --app first, for a fresh start")
	f.BoolVar(&k.picture, "picture", false, "show a picture of the screen in each turn, too")
	f.StringVar(&k.sim, "sim", "", "the simulator's name")
	f.StringVar(&k.udid, "udid", "", "the device")
	f.StringVar(&k.exec, "exec", "", "a program decides; split into words as a shell does, but run without a shell")
	f.BoolVar(&k.anthropic, "anthropic", false, "a Messages endpoint decides; the key is in "+connecting.Anthropic().Variable)
	f.BoolVar(&k.openai, "openai", false, "a chat completions endpoint decides; the key is in "+connecting.OpenAI().Variable)
	f.StringSliceVar(&k.env, "env", nil, "a variable that the program of --exec gets besides PATH, HOME and the like; repeatable")
	f.StringVar(&k.model, "model", "", "the model's name at the endpoint")
	f.StringVar(&k.base, "base-url", "", "the endpoint's address, if not the service's own")
	f.StringVar(&k.policy, "policy", "", "YAML file: allow, deny, apps, forbidden_texts, confirm, max_steps")
	f.IntVar(&k.steps, "max-steps", connecting.DefaultSteps, "give up after this many steps")
	f.Float64Var(&k.minutes, "max-minutes", connecting.DefaultTime.Minutes(), "give up after this many minutes")
	f.IntVar(&k.idle, "max-idle", connecting.DefaultIdle, "give up after this many steps that changed nothing")
	f.DurationVar(&k.patience, "decide-timeout", connecting.DefaultPatience, "how long one decision may take")
	f.StringVar(&k.transcript, "transcript", "", "file for every step, as JSON lines (default: a new one under the ios-agent home)")
	c.MarkFlagsMutuallyExclusive("exec", "anthropic", "openai")
	c.MarkFlagsMutuallyExclusive("sim", "udid")
	return c
}

func (p *program) connect(c *cobra.Command, k connector) (err error) {
	if err := k.check(); err != nil {
		return err
	}
	run, err := p.prepare(c, k)
	if err != nil {
		return err
	}
	h, err := host.New(host.Options{})
	if err != nil {
		return fault.New(fault.Internal, "%w", err)
	}
	defer h.Close()
	decider, key, err := k.decider(c.Context(), h)
	if err != nil {
		return err
	}
	defer decider.Close()
	run.Decider = decider
	run.Secrets.Add(key, connecting.Redacted)
	if run.Transcript, err = k.open(run.Secrets); err != nil {
		return err
	}
	defer run.Transcript.Close()
	result, err := run.Do(c.Context())
	if err != nil {
		return fault.From(err).With("transcript", run.Transcript.Path())
	}
	return p.app.Say(fmt.Sprintf("done in %d steps: %s\ntranscript: %s", result.Steps, result.Message, result.Transcript), result)
}

func (k connector) check() error {
	switch {
	case strings.TrimSpace(k.goal) == "":
		return fault.New(fault.InvalidInput, "connect: --goal is missing").WithHint("say it with --goal")
	case k.exec == "" && !k.anthropic && !k.openai:
		return fault.New(fault.InvalidInput, "connect: the decider is missing").WithHint("give --exec, --anthropic or --openai")
	case k.restart && k.app == "":
		return fault.New(fault.InvalidInput, "connect: --restart needs an app").WithHint("name it with --app")
	case k.steps < 1 || k.idle < 1 || k.minutes <= 0 || k.patience <= 0:
		return fault.New(fault.InvalidInput, "connect: a limit must be above 0")
	}
	return nil
}

// prepare is the run without its decider.
func (p *program) prepare(c *cobra.Command, k connector) (run connecting.Run, err error) {
	session, _ := c.Flags().GetString("session")
	caller, err := connect(p.app.Catalogue, session)
	if err != nil {
		return run, err
	}
	run = connecting.Run{
		Caller: caller, Catalogue: p.app.Catalogue, Goal: k.goal, App: k.app, Restart: k.restart, Picture: k.picture,
		Target:   map[string]string{"udid": k.udid, "sim": k.sim},
		MaxSteps: k.steps, MaxTime: time.Duration(k.minutes * float64(time.Minute)), MaxIdle: k.idle,
		Tell:    func(line string) { fmt.Fprintln(p.app.Err, line) },
		Confirm: confirm(p.app.In, p.app.Err),
	}
	if k.policy != "" {
		if run.Policy, err = connecting.ReadPolicy(k.policy, p.app.Catalogue); err != nil {
			return run, err
		}
	}
	h, err := home.Open()
	if err != nil {
		return run, err
	}
	run.Secrets, err = secretsOf(h)
	return run, err
}

// decider is who decides, and the key that must stay out of the transcript.
func (k connector) decider(ctx context.Context, h *host.Host) (d connecting.Decider, key string, err error) {
	if k.exec != "" {
		words, err := op.Words(k.exec)
		if err != nil {
			return nil, "", err
		}
		d, err := connecting.StartProgram(ctx, h, connecting.ProgramOptions{Argv: words, Env: k.env, Patience: k.patience})
		return d, "", err
	}
	dialect := connecting.OpenAI()
	if k.anthropic {
		dialect = connecting.Anthropic()
	}
	e := &connecting.Endpoint{Model: k.model, Base: k.base, Key: os.Getenv(dialect.Variable), Patience: k.patience, Dialect: dialect}
	return e, e.Key, e.Open()
}

// open makes the transcript.
func (k connector) open(secrets *mask.Set) (*connecting.Transcript, error) {
	path := k.transcript
	if path == "" {
		h, err := home.Open()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(h.String(), "connect", time.Now().Format("20060102-150405-")+rand.Text()[:6]+".jsonl")
	}
	return connecting.NewTranscript(path, secrets, time.Now)
}

// secretsOf are the secrets that can be typed by name, from the environment and from the home.
func secretsOf(h home.Home) (*mask.Set, error) {
	all := &mask.Set{}
	for _, entry := range os.Environ() {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, mask.Prefix) {
			all.Add(value, connecting.Redacted)
		}
	}
	files, err := filepath.Glob(filepath.Join(secrets.Dir(h.String()), "*"))
	if err != nil {
		return nil, fault.New(fault.PathError, "the secrets: %w", err)
	}
	for _, path := range files {
		raw, err := regularfile.Read(path, mostSecret)
		if err != nil {
			return nil, fault.New(fault.PathError, "the secrets: %w", err).
				WithHint("a secret that cannot be read cannot be kept out of the transcript")
		}
		all.Add(strings.TrimRight(string(raw), "\r\n"), connecting.Redacted)
	}
	return all, nil
}

// mostSecret bounds a secret: it is typed.
const mostSecret = 64 << 10

// confirm asks a person. A missing answer counts as refusal; a read that never ends does not delay the end of the run.
func confirm(in io.Reader, out io.Writer) func(context.Context, string) (bool, error) {
	lines := bufio.NewReader(in)
	return func(ctx context.Context, action string) (bool, error) {
		fmt.Fprintf(out, "perform %s? [y/N] ", action)
		answer := make(chan string, 1)
		go func() {
			line, _ := lines.ReadString('\n')
			answer <- strings.ToLower(strings.TrimSpace(line))
		}()
		select {
		case a := <-answer:
			return a == "y" || a == "yes", nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}
