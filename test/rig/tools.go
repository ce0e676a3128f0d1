package rig

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/virtualxcode/service"
	virtualbuild "ios-agent/internal/virtualxcode/xcodebuild"
)

// tools are the programs that the driver runs, as functions of this process.
type tools struct{ dir string }

func (t tools) reports() string { return filepath.Join(t.dir, "Reports") }

func (t tools) place() resident.Place { return resident.Place{Dir: t.dir, Name: "service"} }

// client speaks to the service of this process and never starts another.
func (t tools) client() service.Client {
	return service.Client{Dialer: resident.Dialer{Place: t.place()}}
}

// find is what host.Options.Inside wants.
func (t tools) find(name string) host.Main {
	switch filepath.Base(name) {
	case "xcrun":
		return t.xcrun
	case "xcodebuild":
		return t.xcodebuild
	}
	return nil
}

// xcrun plays simctl in the service, which is where a process would play it too.
func (t tools) xcrun(ctx context.Context, in host.Invocation) int {
	env := map[string]string{}
	for name, value := range in.Env {
		if strings.HasPrefix(name, "SIMCTL_CHILD_") {
			env[name] = value
		}
	}
	exit, err := t.client().Run(ctx, service.Run{
		Tool: in.Args[0], Args: in.Args[1:], Dir: in.Dir, Env: env, Stdin: in.Stdin, Stdout: in.Stdout, Stderr: in.Stderr,
	})
	if err != nil {
		fmt.Fprintf(in.Stderr, "%s: %v\n", in.Args[0], err)
		return 1
	}
	return exit
}

func (t tools) xcodebuild(ctx context.Context, in host.Invocation) int {
	return virtualbuild.Tool{
		Service: t.client(), Faults: t.client(), Stdout: in.Stdout, Stderr: in.Stderr, Dir: in.Dir,
		Getenv: func(name string) string { return in.Env[name] },
		Scheme: virtualbuild.Scheme{
			Name: xcodebuild.AgentScheme, Port: xcodebuild.PortVariable, Token: xcodebuild.AuthVariable, Build: xcodebuild.BuildVariable,
			VariablePrefix: xcodebuild.RunnerPrefix,
		},
	}.Run(ctx, in.Args)
}
