package xcode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/devices"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/oneline"
)

// simulators are the tools for the simulators themselves.
func (v views) simulators() []op.Op {
	list := tool(ListSims, "List the simulators with their ids, by runtime", readOnly, inSimulator, inManagement)
	return []op.Op{
		op.New(list, v.listSims),
		sim(v, long(5*time.Minute, tool(bootSim,
			"Boot a simulator and wait until it can run apps", op.Idempotent, inSimulator, inManagement),
			`boot-sim --simulator-name "iPhone 16"`), v.bootSim),
		op.New(taking(time.Minute, tool(openSim, "Open Simulator, or Device Hub in newer Xcodes",
			readOnly, inSimulator, inManagement), "open-sim"), v.openSim),
		op.New(v.eraseSpec(), v.eraseSims),
	}
}

type listSimsIn struct {
	Enabled bool `json:"enabled,omitempty" doc:"only simulators with an installed runtime"`
}

type listedSim struct {
	Name      string `json:"name"`
	ID        string `json:"simulatorId"`
	State     string `json:"state"`
	Available bool   `json:"isAvailable"`
	Runtime   string `json:"runtime"`
}

type listSimsOut struct {
	Simulators []listedSim `json:"simulators"`
	NextSteps  []string    `json:"nextSteps,omitempty"`
}

// Text lists the simulators by runtime.
func (o listSimsOut) Text() string {
	lines := []string{fmt.Sprintf("%d simulators", len(o.Simulators))}
	runtime := ""
	for _, s := range o.Simulators {
		if s.Runtime != runtime {
			runtime = s.Runtime
			lines = append(lines, oneline.Head(runtime)+":")
		}
		line := fmt.Sprintf("  %s (%s)", s.Name, s.ID)
		if s.State == "Booted" {
			line += " [Booted]"
		}
		if !s.Available {
			line += " (unavailable)"
		}
		lines = append(lines, line)
	}
	return andNext(strings.Join(lines, "\n"), o.NextSteps)
}

func (v views) listSims(ctx context.Context, c *op.Call, in listSimsIn) (listSimsOut, error) {
	found, err := v.core.Devices.List(ctx, c, devices.ListDevicesIn{Type: device.TypeSimulator})
	if err != nil {
		return listSimsOut{}, err
	}
	out := listSimsOut{Simulators: []listedSim{}}
	for _, i := range found.Devices {
		if i.Available || !in.Enabled {
			out.Simulators = append(out.Simulators, listedSim{i.Name, i.UDID, title(i.State), i.Available, i.OS})
		}
	}
	slices.SortStableFunc(out.Simulators, func(a, b listedSim) int {
		return cmp.Or(strings.Compare(device.Platform(a.Runtime), device.Platform(b.Runtime)), device.CompareOS(a.Runtime, b.Runtime))
	})
	if i := slices.IndexFunc(out.Simulators, func(s listedSim) bool { return s.Available && s.State != "Booted" }); i >= 0 {
		out.NextSteps = []string{nextCall(bootSim, "simulatorId", out.Simulators[i].ID), nextCall(openSim)}
	}
	return out, nil
}

// title writes a state as simctl does: Booted, Shutdown, Shutting Down.
func title(state string) string {
	words := strings.Fields(state)
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// simOut is the result of a call on a simulator.
type simOut struct {
	Message   string   `json:"message"`
	ID        string   `json:"simulatorId,omitempty"`
	Name      string   `json:"simulatorName,omitempty"`
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text is the message and the next steps.
func (o simOut) Text() string { return andNext(o.Message, o.NextSteps) }

func (v views) bootSim(ctx context.Context, c *op.Call, _ simIn, on target.Target) (simOut, error) {
	done, err := v.core.Devices.Boot(ctx, c, devices.BootIn{Target: on})
	if err != nil {
		return simOut{}, err
	}
	return simOut{
		Message: "booted " + done.Name + " (" + done.UDID + ")", ID: done.UDID, Name: done.Name,
		NextSteps: []string{
			nextCall(openSim),
			nextCall(installAppSim, "simulatorId", done.UDID, "appPath", "PATH_TO_YOUR_APP"),
			nextCall(launchAppSim, "simulatorId", done.UDID, "bundleId", "YOUR_APP_BUNDLE_ID"),
		},
	}, nil
}

type openSimIn struct {
	ID string `json:"simulatorId,omitempty" doc:"simulator to show"`
}

func (v views) openSim(ctx context.Context, _ *op.Call, in openSimIn) (simOut, error) {
	opened, err := v.core.Devices.Show(ctx, in.ID)
	if err != nil {
		return simOut{}, err
	}
	return simOut{
		Message: "opened " + opened, ID: in.ID,
		NextSteps: []string{
			nextCall(bootSim, "simulatorId", "SIMULATOR_ID_FROM_LIST_SIMS"),
			nextCall(launchAppLogsSim, "simulatorId", "SIMULATOR_ID", "bundleId", "YOUR_APP_BUNDLE_ID"),
		},
	}, nil
}

type eraseSimsIn struct {
	simIn
	UDID     string `json:"simulatorUdid,omitempty" doc:"old name of simulatorId" cli:"-"`
	All      bool   `json:"all,omitempty" doc:"erase every simulator; excludes simulatorId and simulatorName"`
	Shutdown bool   `json:"shutdownFirst,omitempty" doc:"shut a booted simulator down first, instead of a fault"`
}

type eraseSimsOut struct {
	simOut
	Erased []string `json:"erased"` // udids
}

// eraseSpec is the spec of erase_sims. A call with all: true ignores the session's default simulator.
func (v views) eraseSpec() op.Spec {
	s := tool(eraseSims, "Erase one or all simulators: apps, data and settings", op.Destructive|op.Idempotent, inManagement)
	s = long(10*time.Minute, s, `erase-sims --simulator-name "iPhone 16" --shutdown-first`, "erase-sims --all --shutdown-first")
	one := v.simSpec(s).Complete
	s.Complete = func(c *op.Call, fields []op.Field, given op.Input) (op.Completed, error) {
		if string(given["all"]) != "true" {
			return one(c, fields, given)
		}
		for _, name := range []string{"simulatorId", "simulatorName", "simulatorUuid", "simulatorUdid"} {
			if raw, is := given[name]; is && string(raw) != `""` {
				return op.Completed{}, fault.New(fault.InvalidInput, "erase_sims: a simulator and all exclude each other").With("field", "all").
					WithHint("give simulatorId, or all: true")
			}
		}
		return op.Completed{Input: given}, nil
	}
	return s
}

func (v views) eraseSims(ctx context.Context, c *op.Call, in eraseSimsIn) (eraseSimsOut, error) {
	targets, err := v.toErase(ctx, c, in)
	if err != nil {
		return eraseSimsOut{}, err
	}
	out := eraseSimsOut{Erased: []string{}}
	for i, t := range targets {
		c.Report(op.Event{Message: fmt.Sprintf("erasing %d of %d", i+1, len(targets)), Done: float64(i), Total: float64(len(targets))})
		done, err := v.core.Devices.Erase(ctx, c, devices.EraseIn{Target: t, Booted: in.Shutdown})
		if err != nil {
			return out, stillBooted(err)
		}
		out.Erased = append(out.Erased, done.UDID)
		out.ID, out.Name = done.UDID, done.Name
	}
	if len(out.Erased) != 1 {
		out.ID, out.Name, out.Message = "", "", fmt.Sprintf("erased %d simulators", len(out.Erased))
		return out, nil
	}
	out.Message = "erased " + out.Name
	out.NextSteps = []string{nextCall(bootSim, "simulatorId", out.ID)}
	return out, nil
}

// toErase are the simulators to erase. With all, a booted simulator is refused before the first one is erased.
func (v views) toErase(ctx context.Context, c *op.Call, in eraseSimsIn) ([]target.Target, error) {
	if !in.All {
		one, err := v.core.Devices.Find(ctx, in.which())
		return []target.Target{one}, err
	}
	found, err := v.core.Devices.List(ctx, c, devices.ListDevicesIn{Type: device.TypeSimulator})
	if err != nil {
		return nil, err
	}
	var targets []target.Target
	for _, i := range found.Devices {
		if !i.Available {
			continue
		}
		if i.State == device.Booted && !in.Shutdown {
			return nil, stillBooted(&devices.BootedError{Name: i.Name})
		}
		targets = append(targets, target.Target{UDID: i.UDID})
	}
	return targets, nil
}

// stillBooted changes the hint of a refused erase to this tool's own input.
func stillBooted(err error) error {
	if booted := (*devices.BootedError)(nil); errors.As(err, &booted) {
		return fault.From(booted).With("field", "shutdownFirst").WithHint("call again with shutdownFirst: true, which ends its apps")
	}
	return err
}
