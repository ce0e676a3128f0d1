package run

import (
	"context"
	"strings"
	"time"

	"ios-agent/internal/op"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/target"
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
	lines := []string{"the proxy on " + o.Listen + " sees its requests"}
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
