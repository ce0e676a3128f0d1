package ops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// complete fills what a call left out of its input from the session's defaults, and holds it to what the tool requires.
// A field is a default's when the table of defaults has its name; nothing is declared twice.
func complete[In any](d *sessionDefaults, c *op.Call, in In, require ...defaults.Requirement) (In, error) {
	in, _, err := completeFrom(d, c, in, defaults.Spec{Keys: defaultKeys(op.InputNames[In]()), Require: require})
	return in, err
}

// completeFrom is complete for a tool that says more about its input, and wants to know where each value is from.
func completeFrom[In any](d *sessionDefaults, c *op.Call, in In, spec defaults.Spec) (In, defaults.Merged, error) {
	args, err := asArgs(in)
	if err != nil {
		return in, defaults.Merged{}, err
	}
	merged, err := d.store(c).Merge(spec, args)
	if err != nil {
		return in, merged, err
	}
	var out In
	values := merged.Args()
	if env, ok := values[envKey].(map[string]string); ok {
		values[envKey] = pairList(env)
	}
	raw, err := json.Marshal(values)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		return in, merged, fault.New(fault.Internal, "completing the input: %w", err)
	}
	return out, merged, nil
}

// envKey is the default that is a map there and a list of NAME=VALUE in a call.
const envKey = "env"

func asArgs(in any) (map[string]any, error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, fault.New(fault.Internal, "reading the input: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	args := map[string]any{}
	if err := d.Decode(&args); err != nil {
		return nil, fault.New(fault.Internal, "reading the input: %w", err)
	}
	if list, ok := args[envKey].([]any); ok {
		var pairs []string
		for _, p := range list {
			pairs = append(pairs, fmt.Sprint(p))
		}
		if args[envKey], err = nameValues("env", envKey, pairs); err != nil {
			return nil, err
		}
	}
	return args, nil
}

func defaultKeys(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { _, known := defaults.Lookup(name); return !known })
}

func pairList(env map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}
