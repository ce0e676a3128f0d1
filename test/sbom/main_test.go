package main

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// TestSBOMListsLinkedModules: every module that is linked is listed with its version and checksum.
func TestSBOMListsLinkedModules(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := write(&out, self); err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Format != "CycloneDX" || d.Metadata.Component.Name != "ios-agent" || d.Components[0].Name != "go" {
		t.Errorf("%s", out.String())
	}
	if _, err := part(&debug.Module{Path: "example.com/a", Version: "v1.0.0"}); err == nil || !strings.Contains(err.Error(), "no checksum") {
		t.Error(err)
	}
}
