package run

import (
	"context"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/builds"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/xcode/choose"
)

// proxyLaunchOp is an operation of its own: launch runs without a question, and what changes the Mac's proxy must not.
func (r *Run) proxyLaunchOp() op.Op {
	return op.New(op.Spec{
		Name: "proxy_launch", Verb: "proxy launch", Groups: []string{"network"}, Route: "POST /api/v1/network/proxy/launch",
		Timeout: 6 * time.Minute,
		Summary: "Launch an app so that its requests go through the proxy, and set up all that this needs",
		Help: "It starts the proxy if none runs, sets the Mac's proxy to it, boots the simulator, or boots it again if it has the settings\n" +
			"of before, has it trust the certificate, and launches the app. `ios-agent proxy stop` puts the Mac's proxy back.",
		Next:     []string{"list_flows", "proxy_check"},
		Examples: []string{"proxy launch com.iosagent.shop", `proxy launch com.iosagent.shop --sim "iPhone 16" --env API=http://127.0.0.1:8080`},
	}, r.proxyLaunch)
}

func (r *Run) proxyRunOp() op.Op {
	return op.New(op.Spec{
		Name: "proxy_run", Verb: "proxy run", Groups: []string{"network"}, Route: "POST /api/v1/network/proxy/run", Long: true,
		Timeout: builds.BuildTimeout, Hints: op.Executes,
		Summary: "Build the app in the working folder and launch it so that its requests go through the proxy",
		Help: "`ios-agent run`, with all that `ios-agent proxy launch` sets up between the build and the launch.\n" +
			"`ios-agent proxy stop` puts the Mac's proxy back.",
		Next:     []string{"list_flows", "proxy_check"},
		Examples: []string{"proxy run", `proxy run --scheme Shop --simulator-name "iPhone 16 Pro"`},
		Complete: r.d.Builds.Completer(),
	}, r.proxyRun)
}

// proxyRunIn is the input of run, and whether the Mac's proxy is set.
type proxyRunIn struct {
	runIn
	System op.Redirect `json:"system_proxy,omitempty" doc:"set the Mac's proxy, which simulators use; false: as it is" default:"true"`
}

func (r *Run) proxyRun(ctx context.Context, c *op.Call, in proxyRunIn) (builds.Built, error) {
	return r.found(ctx, c, in.runIn, func(on choose.Place) ([]string, error) {
		if on.Kind == choose.OnMac {
			return nil, fault.New(fault.Unsupported, "the app runs on this Mac: only the requests of simulators are set up here").
				WithHint("`ios-agent proxy start --system-proxy`, then `ios-agent run`; " +
					"`ios-agent proxy guide` says how the app trusts the certificate")
		}
		proxy, err := r.d.Network.Through(ctx, c, target.Target{UDID: on.ID}, in.System)
		if err != nil {
			return nil, err
		}
		notes := []string{sees(proxy.Address())}
		for _, warning := range proxy.Warnings {
			notes = append(notes, "warning: "+warning)
		}
		return notes, nil
	})
}

// sees tells which proxy the app's requests go through.
func sees(address string) string { return "the proxy on " + address + " sees its requests" }

// proxyLaunchIn names an app and how to start it.
type proxyLaunchIn struct {
	target.Target
	Bundle string      `json:"bundle_id" doc:"its bundle id or name" cli:"arg"`
	Args   []string    `json:"args,omitempty" doc:"for the app" private:"true"`
	Env    []string    `json:"env,omitempty" doc:"for the app, as NAME=VALUE" pairs:"true" private:"true"`
	System op.Redirect `json:"system_proxy,omitempty" doc:"set the Mac's proxy, which simulators use; false: as it is" default:"true"`
}

// proxyLaunchOut is the app that runs, with what was set up for it.
type proxyLaunchOut struct {
	apps.LaunchOut
	Listen   string   `json:"proxy"` // host and port
	Warnings []string `json:"warnings,omitempty"`
}

// Text is the proxy, then the app and its screen.
func (o proxyLaunchOut) Text() string {
	lines := []string{sees(o.Listen)}
	for _, warning := range o.Warnings {
		lines = append(lines, "warning: "+warning)
	}
	return strings.Join(append(lines, o.LaunchOut.Text()), "\n")
}

func (r *Run) proxyLaunch(ctx context.Context, c *op.Call, in proxyLaunchIn) (proxyLaunchOut, error) {
	on, err := r.d.Network.Through(ctx, c, in.Target, in.System)
	if err != nil {
		return proxyLaunchOut{}, err
	}
	out := proxyLaunchOut{Listen: on.Address(), Warnings: on.Warnings}
	out.LaunchOut, err = r.d.Apps.LaunchAndLook(ctx, c, apps.LaunchIn{
		Target: target.Target{UDID: c.Device.UDID}, Bundle: in.Bundle, Args: in.Args, Env: in.Env, Restart: true,
	})
	return out, err
}
