package host

import "os/exec"

// Installed reports whether a program exists: at its path, or by its name on the PATH.
func Installed(name string) bool { return Find(name) != "" }

// Find returns the file of a program on the PATH; "" if the PATH lacks it.
func Find(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}
