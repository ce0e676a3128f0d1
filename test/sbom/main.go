// Command sbom prints a CycloneDX document with the components of a binary of ios-agent: the linked Go modules with their checksums. The
// same binary gives the same bytes.
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// document is the part of CycloneDX 1.6 that says what there is.
type document struct {
	Format     string      `json:"bomFormat"`
	Version    string      `json:"specVersion"`
	Number     int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	URL     string `json:"purl,omitempty"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

func write(to io.Writer, binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	d := document{
		Format: "CycloneDX", Version: "1.6", Number: 1,
		Metadata:   metadata{component{Type: "application", Name: info.Main.Path, Version: info.Main.Version}},
		Components: []component{{Type: "framework", Name: "go", Version: strings.TrimPrefix(info.GoVersion, "go")}},
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c, err := part(m)
		if err != nil {
			return err
		}
		d.Components = append(d.Components, c)
	}
	enc := json.NewEncoder(to)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

// part is a module. One without a checksum is refused: nobody could tell what it is.
func part(m *debug.Module) (component, error) {
	sum, ok := strings.CutPrefix(m.Sum, "h1:")
	raw, err := base64.StdEncoding.DecodeString(sum)
	if !ok || err != nil {
		return component{}, fmt.Errorf("the module %s %s has no checksum", m.Path, m.Version)
	}
	return component{
		Type: "library", Name: m.Path, Version: m.Version, URL: "pkg:golang/" + m.Path + "@" + m.Version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(raw)}},
	}, nil
}
