package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/machine/host"
)

// outcome is what came of a step.
type outcome string

const (
	holds    outcome = "holds"
	fails    outcome = "fails"
	notTried outcome = "not tried"
)

// result is what is kept of a step, as steps/NN-NAME.json.
type result struct {
	Number      int             `json:"number"`
	Name        string          `json:"name"`
	Part        string          `json:"part"`
	Outcome     outcome         `json:"outcome"`
	Why         string          `json:"why,omitempty"` // it fails or was not tried
	Breaks      string          `json:"breaks,omitempty"`
	Args        []string        `json:"args"`
	Code        int             `json:"code"`
	Took        string          `json:"took"`
	Transcripts []string        `json:"transcripts,omitempty"` // the tools that were run meanwhile
	Talk        [2]int          `json:"talk"`                  // lines of talk.txt: the first, and the one after the last
	Fixed       bool            `json:"fixed,omitempty"`
	Answer      json.RawMessage `json:"answer,omitempty"`
	Stderr      string          `json:"stderr,omitempty"`
}

func (r result) file() string { return fmt.Sprintf("%s/%02d-%s.json", stepFolder, r.Number, r.Name) }

// stepTime bounds a step. The first build of an agent takes minutes on a slow Mac.
const stepTime = 15 * time.Minute

// try takes all steps. A failed step does not end the run: finding such steps is its purpose.
func (t *trial) try(ctx context.Context) {
	fmt.Fprintln(t.out, "the first start builds the agent, which takes a minute or two")
	for _, p := range t.parts() {
		for _, s := range p.steps {
			if ctx.Err() != nil {
				return
			}
			fmt.Fprintf(t.out, "%-18s", s.name) // a person sees what takes long
			r := result{Number: len(t.results) + 1, Name: s.name, Part: p.name, Args: s.args, Fixed: s.fixed}
			if s.needs != "" && t.outcomeOf(s.needs) != holds {
				r.Outcome, r.Why = notTried, s.needs+" does not hold"
			} else {
				t.takeUntil(ctx, s, &r)
			}
			if ctx.Err() != nil {
				r.Outcome, r.Why = notTried, "interrupted"
			}
			if r.Outcome == fails {
				r.Breaks = p.breaks
			}
			t.keep(r)
		}
	}
}

func (t *trial) outcomeOf(name string) outcome {
	i := slices.IndexFunc(t.results, func(r result) bool { return r.Name == name })
	if i < 0 {
		return notTried
	}
	return t.results[i].Outcome
}

// takeUntil takes a step until it holds, as often as it may be tried.
func (t *trial) takeUntil(ctx context.Context, s step, r *result) {
	for try := 1; ; try++ {
		t.take(ctx, s, r)
		if r.Outcome == holds || try >= s.tries {
			return
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return
		}
	}
}

// take runs the command of a step and judges it.
func (t *trial) take(ctx context.Context, s step, r *result) {
	files, lines := t.transcripts(), t.talkLines()
	began := time.Now()
	args, err := t.fill(s.args)
	if err != nil {
		r.Outcome, r.Why = fails, err.Error()
		return
	}
	r.Args = args
	runner, name := t.host, t.agent
	if s.tool != "" {
		runner, name = t.aside, t.tools.Tool(s.tool)
	} else {
		args = withJSON(args)
	}
	run, err := runner.Run(ctx, host.Cmd{Name: name, Args: args, Env: t.env, Timeout: stepTime,
		Grace: 10 * time.Second, MaxOutput: 16 << 20})
	r.Took = time.Since(began).Round(time.Millisecond).String()
	r.Code, r.Stderr = run.ExitCode, string(run.Stderr)
	if json.Valid(run.Stdout) {
		r.Answer = run.Stdout
		t.learn(run.Stdout)
	} else {
		r.Stderr += string(run.Stdout)
	}
	r.Transcripts = slices.DeleteFunc(t.transcripts(), func(f string) bool { return slices.Contains(files, f) })
	r.Talk = [2]int{lines + 1, t.talkLines() + 1}
	var exit *host.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.Outcome, r.Why = fails, err.Error()
		return
	}
	r.Outcome, r.Why = s.judge(*r)
}

// withJSON asks for an answer that can be read, before what belongs to another program.
func withJSON(args []string) []string {
	if at := slices.Index(args, "--"); at >= 0 {
		return slices.Insert(slices.Clone(args), at, "--json")
	}
	return append(slices.Clone(args), "--json")
}

// judge compares an answer with what is right.
func (s step) judge(r result) (outcome, string) {
	if r.Code != s.code {
		return fails, fmt.Sprintf("exit %d instead of %d: %s", r.Code, s.code, r.fault())
	}
	if len(s.says) > 0 && !slices.ContainsFunc(s.says, func(text string) bool { return strings.Contains(string(r.Answer), text) }) {
		return fails, fmt.Sprintf("the answer has none of %q", s.says)
	}
	return holds, ""
}

// fault is the error of the answer in words.
func (r result) fault() string {
	var e struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal(r.Answer, &e) == nil && e.Error.Code != "" {
		return e.Error.Code + ": " + firstLine(e.Error.Message)
	}
	return firstLine(r.Stderr)
}

// keep writes the result down and tells it.
func (t *trial) keep(r result) {
	t.results = append(t.results, r)
	b, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		err = os.WriteFile(t.path(r.file()), append(b, '\n'), 0o600)
	}
	if err != nil {
		fmt.Fprintf(t.out, "cannot store %s: %v\n", r.Name, err)
	}
	word := map[outcome]string{holds: "holds", fails: "FAILS", notTried: "not tried"}[r.Outcome]
	fmt.Fprintln(t.out, strings.TrimRight(fmt.Sprintf("%-9s %8s  %s", word, r.Took, r.Why), " "))
}

func (t *trial) path(name string) string    { return filepath.Join(t.kept, filepath.FromSlash(name)) }
func (t *trial) picture(name string) string { return t.path(name) }

// transcripts are the names of the tools' transcripts so far, finished or not.
func (t *trial) transcripts() (names []string) {
	files, _ := os.ReadDir(t.path(transcripts)) // the folder may be missing
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".part"); strings.HasSuffix(name, ".json") {
			names = append(names, name)
		}
	}
	return names
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndex(text, "\n")+1:])
}
