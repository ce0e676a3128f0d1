package main

import (
	"path/filepath"
	"testing"

	"ios-agent/internal/machine/docfile/hostiledoc"
)

// TestAHostileProjectFile: the file of a project that somebody else wrote costs neither memory nor time, and what it points
// to is not told.
func TestAHostileProjectFile(t *testing.T) {
	hostiledoc.Refuses(t, "tools", func(path string) error {
		_, err := projectTools(filepath.Dir(filepath.Dir(path)))
		return err
	}, nil)
}
