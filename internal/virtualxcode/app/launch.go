package app

import "strings"

// Prefixes of variables that come from the launch.
const (
	argPrefix = "arg."
	envPrefix = "env."
)

// Initial returns the variables of an app launched with arguments and an environment. An argument is "-name value", as UserDefaults
// reads it, "--name=value", or a flag alone, which is "true".
func (a *App) Initial(args []string, env map[string]string) Vars {
	vars := a.State.Clone()
	give := func(name, value string) {
		if _, asked := vars[name]; asked {
			vars[name] = value
		}
	}
	for i, arg := range args {
		name, value, found := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") {
			continue
		}
		if !found {
			value = "true"
			if i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				value = args[i+1]
			}
		}
		give(argPrefix+name, value)
	}
	for name, value := range env {
		give(envPrefix+name, value)
	}
	return vars
}
