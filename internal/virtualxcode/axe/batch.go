package axe

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/text/words"
	"ios-agent/internal/virtualxcode/swiftargs"
	"ios-agent/internal/virtualxcode/tool"
)

// batch runs several steps in order, and stops at the first failure unless an option says to continue.
func batch(ctx context.Context, c call) error {
	lines, err := c.steps()
	if err != nil {
		return err
	}
	var failed []string
	for i, line := range lines {
		err := c.playStep(ctx, line)
		if err == nil {
			continue
		}
		if !c.args.Has("--continue-on-error") {
			return tool.Refuse("Step %d failed: %s\n%v", i+1, line, err)
		}
		failed = append(failed, fmt.Sprintf("Step %d: %s -> %v", i+1, line, err))
	}
	if len(failed) > 0 {
		return tool.Refuse("Batch completed with %d failure(s):\n%s", len(failed), strings.Join(failed, "\n"))
	}
	fmt.Fprintf(c.Stdout, "✓ Batch completed successfully (%d steps)\n", len(lines))
	return nil
}

// steps returns the lines without comments.
func (c call) steps() (lines []string, err error) {
	sources := 0
	for _, name := range []string{"--step", "--file", "--stdin"} {
		if c.args.Has(name) {
			sources++
		}
	}
	if sources != 1 {
		return nil, swiftargs.Refuse("Specify exactly one step source: --step, --file, or --stdin.")
	}
	all := c.args.Options["--step"]
	if name := c.args.Value("--file"); name != "" {
		data, err := regularfile.Read(c.Path(name), maxInput)
		if err != nil {
			return nil, swiftargs.Refuse("Failed to read step file '%s': The file “%s” couldn’t be opened because there is no such file.",
				name, name)
		}
		all = strings.Split(string(data), "\n")
	}
	if c.args.Has("--stdin") {
		data, err := io.ReadAll(io.LimitReader(c.Stdin, maxInput))
		if err != nil {
			return nil, err
		}
		all = strings.Split(string(data), "\n")
	}
	for _, line := range all {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil, swiftargs.Refuse("No executable steps found.")
	}
	return lines, nil
}

// playStep runs one line and discards its output.
func (c call) playStep(ctx context.Context, line string) error {
	step, err := tokens(line)
	if err != nil {
		return err
	}
	if step[0] == "sleep" && len(step) == 2 {
		n, err := strconv.ParseFloat(step[1], 64)
		if err != nil || n < 0 {
			return swiftargs.Refuse("Invalid sleep duration: %s", step[1])
		}
		return c.world.Sleep(ctx, seconds(n))
	}
	v, parser, known := find(step[0])
	if !known || !v.step {
		return swiftargs.Refuse("Unsupported batch step command: %s", step[0])
	}
	given := append(step[1:], "--udid", c.udid())
	for _, name := range []string{"--wait-timeout", "--poll-interval", "--tap-style"} {
		if v.options[name] && c.args.Has(name) {
			given = append([]string{name, c.args.Value(name)}, given...)
		}
	}
	args, err := parser.Parse(given)
	if err != nil {
		return err
	}
	return v.do(ctx, call{tool.Call{Dir: c.Dir, Stderr: c.Stderr}.Complete(), c.world, args})
}

// tokens are the words of a step.
func tokens(line string) ([]string, error) {
	split, whole := words.Split(line)
	switch {
	case !whole:
		return nil, swiftargs.Refuse("Unterminated quote in step: %s", line)
	case len(split) == 0:
		return nil, swiftargs.Refuse("Empty batch step.")
	}
	return split, nil
}
