package webdriver

import (
	"context"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/fault"
)

// starting holds the options for starting an app.
type starting struct {
	args    []string
	env     map[string]string
	restart bool
}

func (one *session) start(ctx context.Context, bundle string, s starting) error {
	input := map[string]any{"bundle_id": bundle}
	if len(s.args) > 0 {
		input["args"] = s.args
	}
	if len(s.env) > 0 {
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(s.env)) {
			pairs = append(pairs, name+"="+s.env[name])
		}
		input["env"] = pairs
	}
	if s.restart {
		input["restart"] = true
	}
	return one.on(ctx, "launch_app", input, nil)
}

// naming makes a command from a function of the app that the body names.
func naming(do func(ctx context.Context, q *request, bundle string) (any, error)) handler {
	return func(ctx context.Context, q *request) (any, error) {
		var id string
		if err := q.may(map[string]any{"bundleId": &id, "appId": &id}); err != nil {
			return nil, err
		}
		if id == "" {
			return nil, fail(invalidArgument, "the body has no \"bundleId\"")
		}
		return do(ctx, q, id)
	}
}

// launchApp launches an app, with its arguments and environment.
func launchApp(ctx context.Context, q *request, bundle string) (any, error) {
	var s starting
	if err := q.may(map[string]any{"arguments": &s.args, "environment": &s.env}); err != nil {
		return nil, err
	}
	return nil, q.session.start(ctx, bundle, s)
}

// activateApp brings an app to the front, and starts it if it does not run.
func activateApp(ctx context.Context, q *request, bundle string) (any, error) {
	return nil, q.session.start(ctx, bundle, starting{})
}

// terminateApp ends an app, and reports whether it ran.
func terminateApp(ctx context.Context, q *request, bundle string) (any, error) {
	var out struct{ Status string }
	if err := q.session.on(ctx, "terminate_app", map[string]any{"bundle_id": bundle}, &out); err != nil {
		return nil, err
	}
	return out.Status == "terminated", nil
}

// app is an installed app.
type app struct {
	Bundle string `json:"bundle_id"`
	Name   string `json:"name"`
	PID    int    `json:"pid"`
	Type   string `json:"app_type"`
}

func (one *session) apps(ctx context.Context) ([]app, error) {
	var out struct{ Apps []app }
	err := one.on(ctx, "list_apps", nil, &out)
	return out.Apps, err
}

// The states of an app, in XCUITest's numbers.
const (
	stateMissing = 0
	stateOff     = 1
	stateBehind  = 3
	stateInFront = 4
)

// appState reports whether an app is in front, in the background, or not running.
func appState(ctx context.Context, q *request, bundle string) (any, error) {
	all, err := q.session.apps(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(a app) bool { return a.Bundle == bundle })
	switch {
	case at < 0:
		return stateMissing, nil
	case all[at].PID == 0:
		return stateOff, nil
	}
	t, err := q.session.look(ctx)
	if err != nil {
		return nil, err
	}
	if t.App == bundle {
		return stateInFront, nil
	}
	return stateBehind, nil
}

func appInstalled(ctx context.Context, q *request, bundle string) (any, error) {
	all, err := q.session.apps(ctx)
	return slices.ContainsFunc(all, func(a app) bool { return a.Bundle == bundle }), err
}

// activeAppInfo is the app in front.
func activeAppInfo(ctx context.Context, q *request) (any, error) {
	t, err := q.session.look(ctx)
	if err != nil {
		return nil, err
	}
	found := app{Bundle: t.App}
	all, err := q.session.apps(ctx)
	if f, is := err.(*failure); is && f.code == fault.Unsupported { // a device that cannot list its apps still shows one
		err = nil
	}
	for _, each := range all {
		if each.Bundle == t.App {
			found = each
		}
	}
	if found.Name == "" && t.Front() != nil {
		found.Name = t.Front().Label
	}
	return map[string]any{
		"bundleId": found.Bundle, "name": strings.TrimSpace(found.Name), "pid": found.PID,
		"processArguments": map[string]any{"args": []string{}, "env": map[string]string{}},
	}, err
}

// appList lists the running apps.
func appList(ctx context.Context, q *request) (any, error) {
	all, err := q.session.apps(ctx)
	out := []any{}
	for _, each := range all {
		if each.PID > 0 {
			out = append(out, map[string]any{"pid": each.PID, "bundleId": each.Bundle})
		}
	}
	return out, err
}

// behind sends the app in front to the background for a while: it shows the home screen, then the app again.
func behind(ctx context.Context, q *request) (any, error) {
	seconds := 3.0
	if err := q.may(map[string]any{"duration": &seconds, "seconds": &seconds}); err != nil {
		return nil, err
	}
	t, err := q.session.look(ctx)
	if err != nil {
		return nil, err
	}
	if err := q.session.on(ctx, "home", nil, nil); err != nil || seconds < 0 {
		return nil, err
	}
	if err := q.Pause(ctx, milliseconds(within(seconds, 0, mostPause.Seconds())*1000)); err != nil {
		return nil, err
	}
	return nil, q.session.start(ctx, t.App, starting{})
}
