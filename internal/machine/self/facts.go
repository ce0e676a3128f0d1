package self

import (
	"fmt"
	"os"
	"os/user"
	"runtime"
	"strings"
)

// Facts describes this process and its machine for a report about a fault.
func Facts() map[string]string {
	host, _ := os.Hostname()
	dir, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return map[string]string{
		"os": runtime.GOOS, "arch": runtime.GOARCH, "cpus": fmt.Sprint(runtime.NumCPU()), "host": host, "user": name, "home": home,
		"tmp": os.TempDir(), "pid": fmt.Sprint(os.Getpid()), "dir": dir, "go": runtime.Version(),
	}
}

// Variables returns the variables of this process's environment whose names are wanted.
func Variables(wanted func(name string) bool) map[string]string {
	env := map[string]string{}
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); wanted(name) {
			env[name] = value
		}
	}
	return env
}
