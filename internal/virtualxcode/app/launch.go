package app

import "strings"

// What the names of variables begin with that come from the launch.
const (
	argPrefix = "arg."
	envPrefix = "env."
)

// Initial is the variables of an app that was launched with arguments and an environment. An argument is given as
// "-name value", as UserDefaults reads it, as "--name=value", or as a flag alone, which is "true".
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
