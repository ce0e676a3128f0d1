package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"ios-agent/internal/machine/host"
)

// lane is a row of steps with a budget.
type lane struct {
	name, what string
	budget     time.Duration
	steps      []step
}

// step is one command. If it prints in the form of `go test -json`, its tests are parts of the lane.
type step struct {
	name string
	argv []string
	env  []string
}

// lanes are in the order in which they are run.
var lanes = []lane{
	{"base", "what every change needs: tests, vet, linters, races, demo, documents, conformance", 18 * time.Minute, []step{
		{"make test", []string{"make", "test", "TESTFLAGS=-json"}, nil},
		{"the tests that make test shortens or leaves out", []string{"make", "test-long", "TESTFLAGS=-json"}, nil},
		{"the scripts on a world as unkind as a real Mac", []string{"make", "test-real-mac", "TESTFLAGS=-json"}, nil},
		{"the same with documented keys of XCTest only", []string{"make", "test-public-only", "TESTFLAGS=-json"}, nil},
		{"the rows of the seeds", []string{"make", "rows"}, nil},
		{"vet for darwin, staticcheck", []string{"make", "check"}, nil},
		{"race detector", []string{"make", "race", "TESTFLAGS=-json"}, nil},
		{"the README's first command, as a newcomer runs it", []string{"scripts/newcomer"}, nil},
		{"OpenAPI lint", []string{"scripts/openapi-lint"}, nil},
		{"workflow lint", []string{"scripts/workflow-lint"}, nil},
		{"MCP conformance", []string{"scripts/mcp-conformance"}, nil},
	}},
	{"chaos", "things go wrong by seeds that the commit gives: a tenth of what make soak takes, and 300 walks", 2 * time.Minute, []step{
		{"chaos", []string{"make", "soak-tenth", "TESTFLAGS=-json"}, nil},
	}},
	{"attack", "what SECURITY.md promises, and what the program is made of", 4 * time.Minute, []step{
		{"attack", []string{"make", "attack", "TESTFLAGS=-json"}, []string{"IOS_AGENT_SOAK_CALLS=5000", "IOS_AGENT_SOAK_KILLS=20"}},
		{"known vulnerabilities", []string{"make", "vulncheck"}, nil},
		{"bill of materials", []string{"make", "sbom"}, nil},
	}},
	{"peers", "other people's programs on Virtual Xcode, and through our proxy", 2 * time.Minute, []step{
		{"XcodeBuildMCP, curl, Node, har-validator, mitmproxy", []string{"make", "test-peers", "TESTFLAGS=-json"}, nil},
		{"Chromium", []string{"make", "test-chromium", "TESTFLAGS=-json"}, nil},
		{"the schema of SARIF", []string{"make", "test-sarif"}, nil},
	}},
	{"swift", "the Swift agent, the SDK for apps, packages with the real compiler, a real debugger", 5 * time.Minute, []step{
		{"the Swift agent", []string{"make", "test-agent"}, nil},
		{"the SDK for apps", []string{"make", "test-sdk"}, nil},
		{"the debugger on a real program", []string{"make", "test-debugger", "TESTFLAGS=-json"}, nil},
	}},
	{"desktop", "windows of real programs on Linux, and the driver of macOS over fake frameworks", 3 * time.Minute, []step{
		{"real programs", []string{"make", "test-desktop", "TESTFLAGS=-json"}, nil},
		{"the driver of macOS", []string{"make", "test-macax", "TESTFLAGS=-json"}, nil},
	}},
	{"appium", "the real Appium and WebdriverIO on a virtual phone", 1 * time.Minute, []step{
		{"Appium and WebdriverIO", []string{"make", "test-appium", "TESTFLAGS=-json"}, nil},
	}},
	{"fuzz", "a little fuzzing of everything that reads bytes from elsewhere", 2 * time.Minute, []step{
		{"fuzzing", []string{"make", "fuzz", "FUZZTIME=1000x"}, nil},
	}},
	{"bench", "figures, each beside its bound", 3 * time.Minute, []step{
		{"figures", []string{"make", "bench", "BENCHFLAGS=-judge=sizes"}, nil},
	}},
}

// reserved are the budgets of lanes that are still to come, so that what exists does not grow into their time.
var reserved = map[string]time.Duration{
	"trace": 3 * time.Minute, "scenarios": 4 * time.Minute, "page": 4 * time.Minute, "fleet": 5 * time.Minute, "dist": 3 * time.Minute,
}

// stepLimit ends a step that hangs.
const stepLimit = 40 * time.Minute

// run runs the lane's steps until one fails.
func (l lane) run(ctx context.Context, h *host.Host, out io.Writer) *report {
	r := &report{lane: l}
	fmt.Fprintf(out, "\n== lane %s: %s; budget %s\n", l.name, l.what, clock(l.budget))
	began := time.Now()
	for _, s := range l.steps {
		fmt.Fprintf(out, "-- %s: %s (at %s)\n", l.name, s.name, clock(time.Since(began)))
		start := time.Now()
		seen := &tests{out: out}
		_, err := h.Run(ctx, host.Cmd{
			Name: s.argv[0], Args: s.argv[1:], Env: s.env, Timeout: stepLimit, OnLine: func(_ host.Stream, line []byte) { seen.line(string(line)) },
		})
		r.parts = append(r.parts, part{s.name, time.Since(start), true})
		r.parts = append(r.parts, seen.parts()...)
		if err != nil {
			seen.printFailures()
			fmt.Fprintf(out, "-- %s: %s: %v\n", l.name, strings.Join(s.argv, " "), err)
			r.failed = s.name
			break
		}
	}
	r.took = time.Since(began)
	return r
}
