package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/goccy/go-yaml"

	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
)

// projectTools are the MCP tool sets a project's config names, by commas. A project may choose what an agent sees; what
// an agent may destroy is for the user to say, not for a file that came with a clone.
func projectTools(dir string) (string, error) {
	path := defaults.ConfigPath(defaults.Folder(dir))
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fault.New(fault.PathError, "%w", err)
	}
	defer f.Close()
	var config struct {
		Tools []string `yaml:"tools"`
	}
	err = decodeYAML(io.LimitReader(f, 32<<10), &config)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fault.New(fault.InvalidInput, "%s: %s", path, strings.TrimSpace(err.Error())).
			WithHint("tools is a list, such as [core, session-management]")
	}
	return strings.Join(config.Tools, ","), nil
}

// decodeYAML guards against the YAML reader, which panics on some broken documents.
func decodeYAML(from io.Reader, to any) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("it is not YAML: %v", broken)
		}
	}()
	return yaml.NewDecoder(from).Decode(to)
}
