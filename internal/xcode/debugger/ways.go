package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// way is a way to talk to LLDB.
type way struct {
	name    string // for people
	program string
	oldest  int // oldest version of Debian's packages to look for
	args    []string
	prompt  bool

	xcodeBuildMCP string // name in XcodeBuildMCP
}

// The ways' names for people.
const (
	throughDAP    = "lldb-dap"
	throughPrompt = "lldb's prompt"
)

// The ways' names in XcodeBuildMCP.
const (
	DAP    = "dap"
	Prompt = "lldb-cli"
)

var (
	byDAP    = way{name: throughDAP, program: "lldb-dap", oldest: 18, xcodeBuildMCP: DAP}
	byPrompt = way{name: throughPrompt, program: "lldb", oldest: 13, args: []string{"--no-lldbinit"}, prompt: true, xcodeBuildMCP: Prompt}
)

// waysOf are the ways to try, best first.
func waysOf(name string) ([]way, error) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "":
		return []way{byDAP, byPrompt}, nil
	case DAP:
		return []way{byDAP}, nil
	case Prompt, "lldb":
		return []way{byPrompt}, nil
	}
	return nil, fault.New(fault.InvalidInput, "unknown debugger backend %.40q: it must be %s or %s", name, DAP, Prompt).
		WithHint("set XCODEBUILDMCP_DEBUGGER_BACKEND, or debuggerBackend in .xcodebuildmcp/config.yaml, to one of them, or unset it")
}

// newest is the newest version of Debian's packages to look for.
const newest = 22

// names are the possible names of the program: Debian's names have a version.
func (w way) names() []string {
	all := []string{w.program}
	for version := newest; version >= w.oldest; version-- {
		all = append(all, fmt.Sprintf("%s-%d", w.program, version))
	}
	return all
}

// Find is the file of the debugger that Attach would start: Xcode's, or the first one on the PATH. Through is empty for lldb-dap.
func (s *Service) Find(ctx context.Context) (path, through string, err error) {
	if path, err = s.find(ctx, byDAP); err == nil {
		return path, "", nil
	}
	if path, other := s.find(ctx, byPrompt); other == nil {
		return path, throughPrompt + ": " + err.Error(), nil
	}
	return "", "", err
}

func (s *Service) find(ctx context.Context, w way) (string, error) {
	if !s.Virtual() {
		found := host.Cmd{Name: s.o.Tools.Tool("xcrun"), Args: []string{"--find", w.program}, Timeout: 20 * time.Second}
		if res, err := s.o.Run.Run(ctx, found); err == nil {
			return strings.TrimSpace(string(res.Stdout)), nil
		}
	}
	for _, name := range w.names() {
		if path := host.Find(name); path != "" {
			return path, nil
		}
	}
	return "", noLLDB{w.program}
}

// launch starts the first installed program of a way, through the keeper if there is one.
func (s *Service) launch(ctx context.Context, w way, pid int, c host.Cmd) (*host.Process, error) {
	var commands [][]string
	if !s.Virtual() {
		commands = append(commands, []string{s.o.Tools.Tool("xcrun"), w.program})
	}
	for _, name := range w.names() {
		commands = append(commands, []string{name})
	}
	for _, argv := range commands {
		c.Name, c.Args = argv[0], slices.Concat(argv[1:], w.args)
		if len(s.o.Keeper) > 0 {
			path := host.Find(c.Name)
			if path == "" {
				continue
			}
			return s.o.Start.Start(ctx, s.kept(w, pid, path, c))
		}
		process, err := s.o.Start.Start(ctx, c)
		var missing *host.NotFoundError
		if err == nil || !errors.As(err, &missing) {
			return process, err
		}
	}
	return nil, noLLDB{w.program}
}

// kept is the command line of a keeper. Its exit may take longer than the debugger's, because it detaches the debugger first.
func (s *Service) kept(w way, pid int, path string, c host.Cmd) host.Cmd {
	k := Keep{PID: pid, Way: w.xcodeBuildMCP, Farewell: s.o.Farewell, Grace: s.o.Grace, Argv: slices.Concat([]string{path}, c.Args)}
	c.Name, c.Args = s.o.Keeper[0], slices.Concat(s.o.Keeper[1:], k.args())
	c.Grace = k.longest()
	return c
}
