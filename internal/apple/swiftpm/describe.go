package swiftpm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"ios-agent/internal/machine/host"
)

// Describe is `swift package describe`, whose answer Executables reads.
func (t Tool) Describe(p Package) host.Cmd {
	return t.cmd("package", "--package-path", p.Path, "describe", "--type", "json")
}

// Executables are the programs of a package, from Describe's answer. Remarks before the document are skipped.
func Executables(described []byte) ([]string, error) {
	at := bytes.IndexByte(described, '{')
	if at < 0 {
		return nil, errors.New("swift package describe: no document")
	}
	var d struct {
		Products []struct {
			Name string                     `json:"name"`
			Type map[string]json.RawMessage `json:"type"`
		} `json:"products"`
	}
	if err := json.Unmarshal(described[at:], &d); err != nil {
		return nil, fmt.Errorf("swift package describe: %w", err)
	}
	var names []string
	for _, p := range d.Products {
		if _, is := p.Type["executable"]; is { // its value is null
			names = append(names, p.Name)
		}
	}
	return names, nil
}
