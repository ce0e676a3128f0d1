package debugger

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"ios-agent/internal/text/lazyregexp"
)

// sep separates the fields of a line in lldb's output: names do not contain it.
const sep = "\x1f"

// Formats of lldb for one line per frame or thread. lldb leaves out a part in braces if it has no value.
var (
	frameFormat = strings.Join([]string{
		"@frame", "${frame.index}", "{${function.name}}", "{${module.file.basename}}", "{${line.file.fullpath}}", "{${line.number}}",
		"${frame.pc}", `\n`,
	}, sep)
	threadFormat = strings.Join([]string{
		"@thread", "${thread.index}", "${thread.id%tid}", "{${thread.name}}", "{${thread.stop-reason}}", `\n`,
	}, sep)
)

// promptThread is a thread of a stopped process.
type promptThread struct {
	index, id    int
	name, reason string
	selected     bool
}

// list is the threads of the process; empty while it runs.
func (s *promptServer) list(ctx context.Context) (all []promptThread, err error) {
	said, err := s.lldb.must(ctx, 1, `settings set thread-format "`+threadFormat+`"`, "thread list", "settings clear thread-format")
	if err != nil {
		return nil, err
	}
	clear(s.threads)
	for line := range strings.Lines(said) {
		before, fields, is := fieldsOf(line, "@thread", 4)
		if !is {
			continue
		}
		t := promptThread{index: number(fields[0]), id: number(fields[1]), name: fields[2], reason: fields[3]}
		if t.selected = strings.Contains(before, "*"); t.selected {
			s.current = t.index
		}
		s.threads[t.id] = t.index
		all = append(all, t)
	}
	return all, nil
}

// fieldsOf splits a line of a format into its fields.
func fieldsOf(line, kind string, n int) (before string, fields []string, is bool) {
	before, rest, is := strings.Cut(line, kind+sep)
	fields = strings.Split(rest, sep)
	return before, fields, is && len(fields) >= n
}

func number(text string) int {
	n, _ := strconv.ParseInt(strings.TrimSpace(text), 0, 64)
	return int(n)
}

func (s *promptServer) listThreads(ctx context.Context, _ json.RawMessage) (any, error) {
	all, err := s.list(ctx)
	body := dap.ThreadsResponseBody{Threads: []dap.Thread{}}
	for _, t := range all {
		body.Threads = append(body.Threads, dap.Thread{Id: t.id, Name: t.name})
	}
	return body, err
}

// A frame's id is its thread and its index in one number.
const mostFramesOfThread = 1 << 20

// countFrames is the maximum number of frames to count beyond the requested frames: a stack may be endless.
const countFrames = 1000

func (s *promptServer) stack(ctx context.Context, in dap.StackTraceArguments) (any, error) {
	body := dap.StackTraceResponseBody{StackFrames: []dap.StackFrame{}}
	thread, known := s.threads[in.ThreadId]
	if !known {
		if _, err := s.list(ctx); err != nil {
			return body, err
		}
		thread = s.threads[in.ThreadId]
	}
	most := in.Levels
	if most > 1 {
		most += countFrames
	}
	said, err := s.lldb.must(ctx, 0, `settings set frame-format "`+frameFormat+`"`,
		fmt.Sprintf("thread backtrace --start %d --count %d %d", in.StartFrame, most, thread), "settings clear frame-format")
	if err != nil {
		return body, err
	}
	for line := range strings.Lines(said) {
		_, fields, is := fieldsOf(line, "@frame", 6)
		if !is {
			continue
		}
		body.TotalFrames = number(fields[0]) + 1
		if len(body.StackFrames) == in.Levels {
			continue
		}
		frame := dap.StackFrame{Id: thread*mostFramesOfThread + number(fields[0]), Name: fields[1], Line: number(fields[4]),
			InstructionPointerReference: strings.TrimSpace(fields[5])}
		if frame.Name == "" {
			frame.Name = fields[2]
		}
		if fields[3] != "" {
			frame.Source = &dap.Source{Path: fields[3]}
		}
		body.StackFrames = append(body.StackFrames, frame)
	}
	return body, nil
}

// References of a frame's kinds of variables; the references of parts follow.
const (
	refLocals = iota + 1
	refGlobals
	refRegisters
	refParts
)

func (s *promptServer) scopes(ctx context.Context, in dap.ScopesArguments) (any, error) {
	s.parts = map[int][]dap.Variable{}
	err := s.selectFrame(ctx, in.FrameId)
	return dap.ScopesResponseBody{Scopes: []dap.Scope{
		{Name: "Locals", VariablesReference: refLocals}, {Name: "Globals", VariablesReference: refGlobals},
		{Name: "Registers", VariablesReference: refRegisters},
	}}, err
}

// selectFrame makes a frame the one of LLDB's commands.
func (s *promptServer) selectFrame(ctx context.Context, id int) error {
	if thread := id / mostFramesOfThread; thread != s.current {
		if _, err := s.lldb.must(ctx, 0, fmt.Sprintf("thread select %d", thread)); err != nil {
			return err
		}
		s.current = thread
	}
	_, err := s.lldb.must(ctx, 0, fmt.Sprintf("frame select %d", id%mostFramesOfThread))
	return err
}

// variableLines are lldb's commands for the variables of the selected frame.
var variableLines = map[int]string{
	refLocals:    "frame variable --show-types --depth 1 --ptr-depth 1",
	refGlobals:   "frame variable --show-types --depth 1 --ptr-depth 1 --no-args --no-locals --show-globals",
	refRegisters: "register read",
}

func (s *promptServer) variables(ctx context.Context, in dap.VariablesArguments) (any, error) {
	if in.VariablesReference >= refParts {
		return dap.VariablesResponseBody{Variables: s.parts[in.VariablesReference]}, nil
	}
	said, errors, err := s.lldb.run(ctx, variableLines[in.VariablesReference])
	if err != nil {
		return nil, err
	}
	if why := strings.TrimSpace(errors); why != "" && said == "" && !strings.Contains(why, "no debug info") {
		return nil, &refusedError{"variables", why}
	}
	if in.VariablesReference == refRegisters {
		return dap.VariablesResponseBody{Variables: readRegisters(said)}, nil
	}
	all, parts := readVariables(said)
	for i := range all {
		if len(parts[i]) > 0 {
			all[i].VariablesReference = refParts + len(s.parts)
			s.parts[all[i].VariablesReference] = parts[i]
		}
	}
	return dap.VariablesResponseBody{Variables: all}, nil
}

// readVariables parses the output of "frame variable": "(type) name = value", with the parts of a value indented between braces. A value
// may have several lines.
func readVariables(said string) (all []dap.Variable, parts [][]dap.Variable) {
	all = []dap.Variable{}
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		bare := strings.TrimLeft(line, " ")
		v, is := readVariable(bare)
		last := len(all) - 1
		switch depth := (len(line) - len(bare)) / 2; {
		case is && depth == 0:
			all, parts = append(all, v), append(parts, nil)
		case last < 0 || bare == "}" || bare == "":
		case is && depth == 1:
			parts[last] = append(parts[last], v)
		case !is && len(parts[last]) == 0 && len(all[last].Value) < mostValue:
			all[last].Value += "\n" + line
		}
	}
	return all, parts
}

// readVariable parses "(type) name = value". A type may contain parentheses.
func readVariable(line string) (v dap.Variable, is bool) {
	if !strings.HasPrefix(line, "(") {
		return v, false
	}
	depth := 0
	for i, c := range line {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			v.Type, line = line[1:i], line[i+1:]
			break
		}
	}
	name, value, is := strings.Cut(strings.TrimPrefix(line, " "), " =")
	v.Name, v.Value = name, strings.TrimSpace(value)
	if rest, cut := strings.CutSuffix(v.Value, "{...}"); cut { // parts below the depth limit
		v.Value = strings.TrimSpace(rest)
	}
	if v.Value == "{" || strings.HasSuffix(v.Value, " {") {
		v.Value = strings.TrimSpace(strings.TrimSuffix(v.Value, "{"))
	}
	return v, is && depth == 0 && name != ""
}

var register = lazyregexp.New(`^ *(\w+) = (.*)$`)

func readRegisters(said string) []dap.Variable {
	all := []dap.Variable{}
	for line := range strings.Lines(said) {
		if m := register.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			all = append(all, dap.Variable{Name: m[1], Value: m[2]})
		}
	}
	return all
}

func (s *promptServer) lines(ctx context.Context, in dap.SetBreakpointsArguments) (any, error) {
	var wanted []wantedPoint
	for _, b := range in.Breakpoints {
		at := fmt.Sprintf("--file %s --line %d", quoted(in.Source.Path), b.Line)
		wanted = append(wanted, wantedPoint{at, b.Condition, b.HitCondition})
	}
	return s.replace(ctx, "--file "+quoted(in.Source.Path)+" ", wanted)
}

func (s *promptServer) functions(ctx context.Context, in dap.SetFunctionBreakpointsArguments) (any, error) {
	var wanted []wantedPoint
	for _, b := range in.Breakpoints {
		wanted = append(wanted, wantedPoint{"--name " + quoted(b.Name), b.Condition, b.HitCondition})
	}
	return s.replace(ctx, "--name ", wanted)
}

type wantedPoint struct{ at, condition, hit string }

// skip is the number of hits before the first stop: the protocol has the number of the stopping hit, LLDB the number of hits before it.
func (w wantedPoint) skip() int { return max(0, number(w.hit)-1) }

var (
	pointMade = lazyregexp.New(`(?m)^Breakpoint (\d+): (.*)$`)
	pointCode = lazyregexp.New(`\b0x[0-9a-f]+$`) // address of a breakpoint with one location
)

// replace sets the wanted breakpoints of a kind and deletes all others of this kind.
func (s *promptServer) replace(ctx context.Context, kind string, wanted []wantedPoint) (any, error) {
	body := dap.SetBreakpointsResponseBody{Breakpoints: []dap.Breakpoint{}}
	superfluous := maps.Clone(s.set)
	for _, w := range wanted {
		if strings.ContainsAny(w.at+w.condition, "\r\n") {
			return nil, &refusedError{"breakpoint", "a place and a condition must have one line"}
		}
		b, there := s.set[w.at]
		delete(superfluous, w.at)
		switch {
		case !there:
			said, err := s.lldb.must(ctx, 0, "breakpoint set "+w.at+conditioned(w.condition)+skipping(w.skip()))
			made := pointMade.FindStringSubmatch(said)
			if err != nil {
				return nil, err
			}
			if made == nil {
				return nil, &refusedError{"breakpoint", strings.TrimSpace(said)}
			}
			b = setPoint{number(made[1]), w.condition, w.hit, !strings.HasPrefix(made[2], "no locations"), pointCode.FindString(made[2])}
		case b.condition != w.condition || b.hit != w.hit:
			change := fmt.Sprintf("breakpoint modify --condition %s --ignore-count %d %d", quoted(w.condition), w.skip(), b.id)
			if _, err := s.lldb.must(ctx, 0, change); err != nil {
				return nil, err
			}
			b.condition, b.hit = w.condition, w.hit
		}
		s.set[w.at] = b
		body.Breakpoints = append(body.Breakpoints, dap.Breakpoint{Id: b.id, Verified: b.verified, InstructionReference: b.pc})
	}
	for at, b := range superfluous {
		if strings.HasPrefix(at, kind) {
			if _, err := s.lldb.must(ctx, 0, fmt.Sprintf("breakpoint delete %d", b.id)); err != nil {
				return nil, err
			}
			delete(s.set, at)
		}
	}
	return body, nil
}

func conditioned(condition string) string {
	if condition == "" {
		return ""
	}
	return " --condition " + quoted(condition)
}

func skipping(hits int) string {
	if hits == 0 {
		return ""
	}
	return fmt.Sprintf(" --ignore-count %d", hits)
}
