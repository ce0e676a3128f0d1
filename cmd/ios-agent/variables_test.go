package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault/mask"
)

// TestMistypedVariableNameWarnsOnStderr: a variable that is nearly one of ours is told on stderr, with the one that may be meant; stdout
// stays as it is.
func TestMistypedVariableNameWarnsOnStderr(t *testing.T) {
	for environ, want := range map[string]string{
		"IOS_AGENT_HOEM=/x":                        "warning: unknown variable IOS_AGENT_HOEM; did you mean IOS_AGENT_HOME?\n",
		"IOS_AGENT_TOOLCHIAN=virtual":              "warning: unknown variable IOS_AGENT_TOOLCHIAN; did you mean IOS_AGENT_TOOLCHAIN?\n",
		"IOS_AGENT_SHCEME=Shop":                    "warning: unknown variable IOS_AGENT_SHCEME; did you mean IOS_AGENT_SCHEME?\n",
		"IOS_AGENT_HOME=/x IOS_AGENT_SCHEME=S":     "",
		"IOS_AGENT_SECRET_SHOEM=x IOS_AGENT_XYZ=1": "", // secrets have names of their own, and so have other programs
		"PATH=/bin AGENT_HOEM=/x":                  "",
	} {
		var errs bytes.Buffer
		warnOfNames(strings.Fields(environ), &errs)
		if errs.String() != want {
			t.Errorf("%s: %q, want %q", environ, errs.String(), want)
		}
	}
	newHome(t)
	t.Setenv("IOS_AGENT_SESION", "mine")
	r := run(t, "key", "show", "--json")
	if r.code != 0 || !strings.Contains(r.stderr, "IOS_AGENT_SESSION") || strings.Contains(r.out, "SESSION") {
		t.Errorf("%+v", r)
	}
	if r := run(t, "__complete", "key", ""); strings.Contains(r.stderr, "warning") {
		t.Errorf("a tab warns: %+v", r)
	}
}

// TestVariableTableHasEveryVariable: the table has every variable that the sources read, so that none of them is called mistyped.
func TestVariableTableHasEveryVariable(t *testing.T) {
	notForUsers := []string{
		"IOS_AGENT_PORT", "IOS_AGENT_TOKEN", "IOS_AGENT_BUILD", "IOS_AGENT_UDID", "IOS_AGENT_SAMPLES", "IOS_AGENT_SECRET_", ours,
	}
	quoted := regexp.MustCompile(`"(IOS_AGENT_[A-Z_]*)"`)
	for _, root := range []string{".", "../../internal"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			raw, err := os.ReadFile(path)
			for _, m := range quoted.FindAllStringSubmatch(string(raw), -1) {
				if !slices.Contains(notForUsers, m[1]) && !slices.Contains(variables(), m[1]) {
					t.Errorf("%s reads %s, which the table of variables lacks", path, m[1])
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Every variable has a row in docs/variables.md, except those of session defaults: one sentence there covers them.
func TestEveryVariableIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/variables.md")
	if err != nil {
		t.Fatal(err)
	}
	byDefault := map[string]bool{}
	for _, k := range product.Keys() {
		for _, name := range k.Variables() {
			byDefault[name] = true
		}
	}
	for _, name := range variables() {
		if !byDefault[name] && !strings.Contains(string(page), "| `"+name+"` |") {
			t.Errorf("docs/variables.md has no row for %s", name)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(IOS_AGENT_[A-Z_]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		if !slices.Contains(variables(), m[1]) && m[1] != mask.Prefix+"NAME" {
			t.Errorf("docs/variables.md has a row for %s, which is not a variable", m[1])
		}
	}
}
