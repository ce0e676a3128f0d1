package main

import (
	"cmp"
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
	Why         string          `json:"why,omitempty"`     // it fails or was not tried
	Enable      string          `json:"enable,omitempty"`  // the command or action after which it can be tried
	Picture     string          `json:"picture,omitempty"` // of the screen after the failure
	Breaks      string          `json:"breaks,omitempty"`
	Args        []string        `json:"args"`
	Tool        string          `json:"tool,omitempty"` // one of Apple's tools, which was called and not ios-agent
	Code        int             `json:"code"`
	Took        string          `json:"took"`
	Transcripts []string        `json:"transcripts,omitempty"` // the tools that were run meanwhile
	Talk        [2]int          `json:"talk"`                  // lines of talk.txt: the first, and the one after the last
	Answer      json.RawMessage `json:"answer,omitempty"`
	Stderr      string          `json:"stderr,omitempty"`
}

func (r result) file() string { return fmt.Sprintf("%s/%03d-%s.json", stepFolder, r.Number, r.Name) }

// try takes all steps. A failed step does not end the run: finding such steps is its purpose.
func (t *trial) try(ctx context.Context, parts []part) {
	if _, stopped := t.lacks[everything]; !stopped {
		if err := t.copySDK(); err != nil {
			fmt.Fprintln(t.out, "cannot copy the SDK:", err) // the step that builds an app tells it too
		}
		if slices.ContainsFunc(parts, func(p part) bool { return p.key == keyAgent }) {
			fmt.Fprintln(t.out, "the first start builds the agent, which takes a minute or two")
		}
	}
	for _, p := range parts {
		t.tryPart(ctx, p)
	}
}

func (t *trial) tryPart(ctx context.Context, p part) {
	within, cancel := context.WithTimeout(ctx, cmp.Or(p.limit, partTime))
	defer cancel()
	for _, s := range p.steps {
		r := result{Number: len(t.results) + 1, Name: s.name, Part: p.name, Args: s.args, Tool: s.tool}
		stop, off := t.offFor(p, s)
		switch {
		case ctx.Err() != nil:
			stop, off = lack{why: "interrupted"}, true
		case within.Err() != nil:
			stop, off = lack{why: fmt.Sprintf("the part took longer than %s", cmp.Or(p.limit, partTime))}, true
		}
		if off {
			r.Outcome, r.Why, r.Enable = notTried, stop.why, stop.enable
			t.keep(r)
			continue
		}
		fmt.Fprintf(t.out, "%-19s ", s.name) // a person sees what takes long
		t.takeUntil(within, s, &r)
		switch {
		case ctx.Err() != nil && r.Outcome == fails:
			r.Outcome, r.Why = notTried, "interrupted"
		case r.Outcome == fails:
			r.Breaks = p.breaks
			r.Picture = t.pictureOf(r)
		}
		t.keep(r)
		t.tellStep(r)
	}
}

// offFor is the reason for which a step is not tried.
func (t *trial) offFor(p part, s step) (lack, bool) {
	for _, name := range []string{everything, p.key, s.name} {
		if l, off := t.lacks[name]; off {
			return l, true
		}
	}
	if p.off != (lack{}) {
		return p.off, true
	}
	for _, needed := range []string{s.needs, s.also} {
		i := slices.IndexFunc(t.results, func(r result) bool { return r.Name == needed })
		switch {
		case needed == "":
		case i < 0:
			return lack{why: needed + " was not tried"}, true
		case t.results[i].Outcome == fails:
			return lack{why: needed + " does not hold"}, true
		case t.results[i].Outcome == notTried:
			return lack{t.results[i].Why, t.results[i].Enable}, true
		}
	}
	return lack{}, false
}

// takeUntil takes a step until it holds, as often as it may be tried.
func (t *trial) takeUntil(ctx context.Context, s step, r *result) {
	for try := 1; ; try++ {
		t.take(ctx, s, r)
		if r.Outcome != fails || try >= s.tries {
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
	if err == nil {
		s.says, err = t.fill(s.says)
	}
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
	if s.whole {
		ctx = context.WithoutCancel(ctx)
	}
	run, err := runner.Run(ctx, host.Cmd{Name: name, Args: args, Env: t.env, Timeout: cmp.Or(s.limit, stepTime),
		Grace: 10 * time.Second, MaxOutput: 16 << 20})
	r.Took = time.Since(began).Round(time.Millisecond).String()
	r.Code, r.Answer, r.Stderr = run.ExitCode, nil, string(run.Stderr)
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
	r.Outcome, r.Why, r.Enable = s.judge(*r)
	if s.gives != "" && r.Outcome == holds {
		t.known[s.gives] = lastLine(string(run.Stdout))
	}
}

// pictureOf takes a picture of the screen after a failed step, by Apple's tool alone. Without a simulator there is none.
func (t *trial) pictureOf(r result) string {
	name := fmt.Sprintf("%s/%03d-%s.png", pictures, r.Number, r.Name)
	simulator := t.known[simulatorKey]
	if simulator == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // also after the end of the step's time
	defer cancel()
	if _, err := t.tool(ctx, "xcrun", "simctl", "io", simulator, "screenshot", t.path(name)); err != nil {
		return ""
	}
	return name
}

// withJSON asks for an answer that can be read, before what belongs to another program.
func withJSON(args []string) []string {
	if at := slices.Index(args, "--"); at >= 0 {
		return slices.Insert(slices.Clone(args), at, "--json")
	}
	return append(slices.Clone(args), "--json")
}

// judge compares an answer with what is right.
func (s step) judge(r result) (o outcome, why, enable string) {
	switch {
	case r.Code != s.code:
		why = fmt.Sprintf("exit %d instead of %d: %s", r.Code, s.code, r.fault())
	case len(s.says) > 0 && !r.says(s.says):
		why = fmt.Sprintf("the answer has none of %q", s.says)
	default:
		return holds, "", ""
	}
	if r.says(s.lacks.says) {
		return notTried, s.lacks.why, s.lacks.enable
	}
	return fails, why, ""
}

// says reports whether the output of the step has one of some texts.
func (r result) says(texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(string(r.Answer), text) || strings.Contains(r.Stderr, text)
	})
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

// keep stores the result.
func (t *trial) keep(r result) {
	t.results = append(t.results, r)
	b, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		err = os.WriteFile(t.path(r.file()), append(b, '\n'), 0o600)
	}
	if err != nil {
		fmt.Fprintf(t.out, "cannot store %s: %v\n", r.Name, err)
	}
}

func (t *trial) tellStep(r result) {
	word := map[outcome]string{holds: "holds", fails: "FAILS", notTried: "not tried"}[r.Outcome]
	fmt.Fprintln(t.out, strings.TrimRight(fmt.Sprintf("%-9s %8s  %s", word, r.Took, r.Why), " "))
}

func (t *trial) path(name string) string    { return filepath.Join(t.kept, filepath.FromSlash(name)) }
func (t *trial) picture(name string) string { return t.path(pictures + "/" + name) }

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
