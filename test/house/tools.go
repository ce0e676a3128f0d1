package house

import (
	"context"
	"path/filepath"
	"slices"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode"
)

// mount gives the tools of a Virtual Xcode in this process to host.Options.Inside: by their names, whatever folder they are
// called from.
func mount(xcode *virtualxcode.InProcess) func(name string) host.Main {
	tools := virtualxcode.Tools()
	return func(name string) host.Main {
		name = filepath.Base(name)
		if !slices.Contains(tools, name) {
			return nil
		}
		return func(ctx context.Context, in host.Invocation) int {
			return xcode.Play(ctx, name, virtualxcode.Call{Args: in.Args, Dir: in.Dir, Env: in.Env, Stdin: in.Stdin, Stdout: in.Stdout, Stderr: in.Stderr})
		}
	}
}

// scheme is what our agent is called.
var scheme = virtualxcode.Scheme{
	Name: xcodebuild.AgentScheme, Port: xcodebuild.PortVariable, Token: xcodebuild.AuthVariable, Build: xcodebuild.BuildVariable,
	VariablePrefix: xcodebuild.RunnerPrefix,
}
