// Package yamlfile reads YAML that others wrote: the config file of a project, a policy. Whatever such a file is or holds, it
// costs a bounded amount of memory and time, it cannot lead out of its folder, and no message quotes what it holds.
package yamlfile

import (
	"os"

	"ios-agent/internal/machine/regularfile"
)

// MaxSize bounds a file: the parser is recursive and needs seconds for 60,000 brackets.
const MaxSize = 32 << 10

// Read gives the text of the file name in the folder root; a file that is not there is fs.ErrNotExist. A link out of the
// folder, a pipe, a device and a folder are refused.
func Read(root, name string) (string, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return "", err
	}
	defer r.Close()
	info, err := r.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // not even opened: that alone makes some devices do something
		return "", regularfile.ErrNotRegular
	}
	in, err := r.OpenFile(name, regularfile.Flags, 0)
	if err != nil {
		return "", err
	}
	defer in.Close()
	raw, err := regularfile.ReadFrom(in, MaxSize)
	return string(raw), err
}
