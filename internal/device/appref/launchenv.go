package appref

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
)

// childPrefix marks the variables of a client's environment that simctl would pass to the app.
const childPrefix = "SIMCTL_CHILD_"

func Environment(client map[string]string, given []string) (map[string]string, error) {
	env := map[string]string{}
	for name, value := range client {
		if app, ok := strings.CutPrefix(name, childPrefix); ok {
			env[app] = value
		}
	}
	asked, err := op.NameValues(complete.EnvKey, given)
	maps.Copy(env, asked)
	return env, err
}

// foreign are variables that make an app run other code or write files: dyld loads libraries, the sanitizers run a symbolizer and write
// reports, Swift runs a program at a crash, coverage and malloc write to a file.
var foreign = regexp.MustCompile(`^(DYLD_|LD_|__XPC_|XCInject|[A-Z]+SAN_(OPTIONS|SYMBOLIZER_PATH)$|SWIFT_BACKTRACE$|` +
	`LLVM_PROFILE_FILE$|GCOV_PREFIX|MallocLogFile$)`)

// Harmless refuses foreign variables. A launch runs without a question, because the user chose the app's code at its installation. An
// operation that builds and runs an app asks first and accepts them.
func Harmless(env map[string]string, err error) (map[string]string, error) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if err == nil && foreign.MatchString(name) {
			return nil, fault.New(fault.Forbidden, "%s makes an app run other code or write files; a launch refuses it", name).
				With("field", complete.EnvKey).
				WithHint("%s builds, installs and launches an app with it", hint.Do("run", "env", []string{name + "=…"}))
		}
	}
	return env, err
}
