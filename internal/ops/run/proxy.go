package run

import (
	"context"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/builds"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/xcode/choose"
)

// proxyLaunchOp is separate from launch_app: that runs without approval, and an operation that changes the Mac's proxy must not.
func (r *Run) proxyLaunchOp() op.Op {
	return op.New(op.Spec{
		Name: "proxy_launch", Verb: "proxy launch", Groups: []string{"network"}, Route: "POST /api/v1/network/proxy/launch",
		Timeout: 6 * time.Minute,
		Summary: "Launch an app with its requests through the proxy",
		Help: "It starts the proxy if none runs, sets the Mac's proxy to it, boots the simulator, or reboots it if it booted before that,\n" +
			"installs the certificate and launches the app. " + hint.Do("proxy_stop") + " restores the Mac's proxy.",
		Next:     []string{"list_flows", "proxy_check"},
		Examples: []string{"proxy launch com.iosagent.shop", `proxy launch com.iosagent.shop --sim "iPhone 16" --env API=http://127.0.0.1:8080`},
	}, r.proxyLaunch)
}

func (r *Run) proxyRunOp() op.Op {
	return op.New(op.Spec{
		Name: "proxy_run", Verb: "proxy run", Groups: []string{"network"}, Route: "POST /api/v1/network/proxy/run", Long: true,
		Timeout: builds.BuildTimeout, Hints: op.Executes,
		Summary: "Build and launch the app with its requests through the proxy",
		Help: "It builds as " + hint.Do("run") + " does, then sets up the proxy as " + hint.Do("proxy_launch", "bundle_id", "APP") +
			" does, and launches the app.\n" + hint.Do("proxy_stop") + " restores the Mac's proxy.",
		Next:     []string{"list_flows", "proxy_check"},
		Examples: []string{"proxy run", `proxy run --scheme Shop --simulator-name "iPhone 16 Pro"`},
		Complete: r.d.Builds.Completer(),
	}, r.proxyRun)
}

// proxyRunIn is the input of run, and whether to set the Mac's proxy.
type proxyRunIn struct {
	runIn
	System op.Redirect `json:"system_proxy,omitempty" doc:"set the Mac's proxy, which simulators use; false: leave it" default:"true"`
}

func (r *Run) proxyRun(ctx context.Context, c *op.Call, in proxyRunIn) (builds.Built, error) {
	return r.found(ctx, c, in.runIn, func(on choose.Place) ([]string, error) {
		if on.Kind == choose.OnMac {
			return nil, fault.New(fault.Unsupported, "cannot set up the proxy for an app on this Mac: only for simulators").
				WithHint("call %s, then %s; %s explains how the app trusts the certificate",
					hint.Do("proxy_start", "system_proxy", true), hint.Do("run"), hint.Do("proxy_guide"))
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

// sees names the proxy that the app's requests go through.
func sees(address string) string { return "the proxy on " + address + " sees its requests" }

// proxyLaunchIn names an app and how to start it.
type proxyLaunchIn struct {
	target.Target
	Bundle string      `json:"bundle_id" doc:"its bundle id or name" cli:"arg"`
	Args   []string    `json:"args,omitempty" doc:"for the app" private:"true"`
	Env    []string    `json:"env,omitempty" doc:"for the app, as NAME=VALUE" pairs:"true" private:"true"`
	System op.Redirect `json:"system_proxy,omitempty" doc:"set the Mac's proxy, which simulators use; false: leave it" default:"true"`
}

// proxyLaunchOut is the launched app and its proxy.
type proxyLaunchOut struct {
	apps.LaunchOut
	Listen   string   `json:"proxy"` // host and port
	Warnings []string `json:"warnings,omitempty"`
}

// Text is the proxy, its warnings, the app and its screen.
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
