package host

import "os/exec"

// Installed reports whether a program is there: by its path, or by its name through PATH.
func Installed(name string) bool { return Find(name) != "" }

// Find is the file that a name leads to on the PATH; "" when it leads nowhere.
func Find(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}
