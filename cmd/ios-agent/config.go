package main

import (
	"errors"
	"io/fs"
	"strings"

	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/docfile"
)

// projectTools are the MCP tool sets a project's config names, by commas. A project may choose what an agent sees; what
// an agent may destroy is for the user to say, not for a file that came with a clone.
func projectTools(dir string) (string, error) {
	folder := defaults.Folder(dir)
	path := defaults.ConfigPath(folder)
	text, err := docfile.Read(folder, defaults.ConfigPath(""), docfile.MostYAML)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fault.New(fault.PathError, "%s: %w", path, err).WithHint("correct the file or remove it")
	}
	doc, err := docfile.YAML(string(text))
	var tools []string
	if err == nil {
		tools, err = doc.Texts("tools")
	}
	if err != nil {
		return "", fault.New(fault.InvalidInput, "%s: %s", docfile.Place(path, err), docfile.Reason(err)).
			WithHint("tools is a list, such as [core, session-management]")
	}
	return strings.Join(tools, ","), nil
}
