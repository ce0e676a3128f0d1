// Package complete fills in missing inputs of a call from the defaults of the calling session. A Completion describes what an operation
// accepts, and its From makes the op.Completer. It runs no operation.
package complete

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/config"
	"ios-agent/internal/device"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// Completion says which session defaults an operation accepts: every field whose name is in the table of defaults.
type Completion struct {
	Require  []config.Requirement
	CallOnly []string          // fields that no default may fill
	OldNames map[string]string // old names of fields
	// Adjust changes the requirements for a given input; may be nil.
	Adjust func(given op.Input, s *config.Spec)
}

// From fills in inputs from the calling session's defaults, and refuses a call with unmet requirements.
func (how Completion) From(sessions *session.Store) op.Completer {
	return func(c *op.Call, fields []op.Field, given op.Input) (op.Completed, error) {
		given, err := how.renamed(given)
		if err != nil {
			return op.Completed{}, err
		}
		args, err := arguments(given)
		if err != nil {
			return op.Completed{}, err
		}
		spec := config.Spec{Keys: how.keys(fields), Require: how.Require}
		if udid := sessions.Get(c.Session).Device(); udid != "" {
			spec.Device = [2]string{deviceKey(udid), udid}
		}
		if how.Adjust != nil {
			how.Adjust(given, &spec)
		}
		store := sessions.Get(c.Session).Defaults(c.Dir, c.Env)
		TellWarnings(c, sessions.Get(c.Session), store)
		merged, err := store.Merge(spec, args)
		if err != nil {
			return op.Completed{}, err
		}
		return completed(given, merged)
	}
}

// TellWarnings gives a session each warning about the project's file and the environment once.
func TellWarnings(c *op.Call, s *session.Session, store *config.Store) {
	for _, text := range store.Warnings() {
		if s.Untold(text) {
			c.Notify(op.Notice{Kind: op.Config, Text: text})
		}
	}
}

// deviceKey is the default for a device's udid: simulators have a UUID, physical devices do not.
func deviceKey(udid string) string {
	if device.LooksLikeUDID(udid) {
		return "simulatorId"
	}
	return "deviceId"
}

// renamed replaces the old name of a field by the new one.
func (how Completion) renamed(given op.Input) (op.Input, error) {
	out := maps.Clone(given)
	for old, name := range how.OldNames {
		raw, is := out[old]
		if !is {
			continue
		}
		delete(out, old)
		if string(raw) == `""` {
			continue
		}
		if other, both := out[name]; both && string(other) != string(raw) && string(other) != `""` {
			return nil, fault.New(fault.InvalidInput, "%s and %s name the same input but have different values", name, old).With("field", old)
		}
		out[name] = raw
	}
	return out, nil
}

func (how Completion) keys(fields []op.Field) []string {
	var keys []string
	for _, f := range fields {
		if config.Completes(f.Name) && !slices.Contains(how.CallOnly, f.Name) {
			keys = append(keys, f.Name)
		}
	}
	return keys
}

// EnvKey is the default that is a map in the defaults and a list of NAME=VALUE in a call.
const EnvKey = "env"

// arguments are the values of an input in the form of the defaults.
func arguments(given op.Input) (map[string]any, error) {
	args := map[string]any{}
	for name, raw := range given {
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			return nil, fault.New(fault.Internal, "reading %s: %w", name, err)
		}
		list, isList := value.([]any)
		if !isList {
			args[name] = value
			continue
		}
		words := make([]string, len(list))
		for i, v := range list {
			words[i] = fmt.Sprint(v)
		}
		args[name] = words
		if name == EnvKey {
			env, err := op.NameValues(EnvKey, words)
			if err != nil {
				return nil, err
			}
			args[name] = env
		}
	}
	return args, nil
}

// completed is the input after the merge. The call's other inputs stay unchanged.
func completed(given op.Input, m config.Merged) (op.Completed, error) {
	out := op.Completed{Input: op.Input{}, Sources: map[string]string{}}
	for name, v := range m.Values {
		if v.Source != config.FromCall {
			out.Sources[name] = strings.TrimSpace(string(v.Source) + " " + v.From)
		}
		if !config.Completes(name) {
			out.Input[name] = given[name]
			continue
		}
		raw, err := json.Marshal(v.Value)
		if err != nil {
			return out, fault.New(fault.Internal, "completing %s: %w", name, err)
		}
		out.Input[name] = raw
	}
	return out, nil
}
