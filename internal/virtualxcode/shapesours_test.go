package virtualxcode_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/simctl"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

// goldens are the recorded outputs of a virtual tool, which its own tests keep true, less those with the given prefixes.
func goldens(tool string) func(pattern string, without ...string) func(*testing.T) map[string][]byte {
	return func(pattern string, without ...string) func(*testing.T) map[string][]byte {
		return func(t *testing.T) map[string][]byte {
			t.Helper()
			all := map[string][]byte{}
			for _, p := range alternatives(pattern) {
				files, err := filepath.Glob(filepath.Join(tool, "testdata", p))
				if err != nil || len(files) == 0 {
					t.Fatalf("%v: no outputs of ours %s", err, p)
				}
				for _, file := range files {
					name := filepath.Base(file)
					if slices.ContainsFunc(without, func(w string) bool { return strings.HasPrefix(name, strings.TrimSuffix(w, "*")) }) {
						continue
					}
					data, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					all[name] = data
				}
			}
			return all
		}
	}
}

// alternatives are what {a,b}.txt stands for.
func alternatives(pattern string) (all []string) {
	head, rest, ok := strings.Cut(pattern, "{")
	if !ok {
		return []string{pattern}
	}
	inside, tail, _ := strings.Cut(rest, "}")
	for name := range strings.SplitSeq(inside, ",") {
		all = append(all, head+name+tail)
	}
	return all
}

// simctlOutputs runs simctl on a world of its own.
func simctlOutputs(kind string) func(*testing.T) map[string][]byte {
	const on = "iPhone 16 Pro"
	log := func(style string) []string {
		return []string{"spawn", on, "log", "show", "--debug", "--style", style, "--predicate", `process CONTAINS ""`}
	}
	commands := map[string]map[string][]string{
		"json": {"list": {"list", "-j"}, "booted": {"list", "-j", "devices", "booted"},
			"runtime-match": {"runtime", "match", "list", "-j"}},
		"text":     {"list": {"list"}, "devices": {"list", "devices"}, "runtimes": {"list", "runtimes"}},
		"listapps": {"listapps": {"listapps", on}},
		"errors":   {"erase": {"erase", on}, "launch": {"launch", on, "com.example.none"}},
		"ndjson":   {"ndjson": log("ndjson")},
		"log":      {"default": log("default"), "compact": log("compact"), "syslog": log("syslog")},
	}
	return func(t *testing.T) map[string][]byte {
		t.Helper()
		dir := t.TempDir()
		w, err := world.New(world.Options{Clock: world.RequestClock(time.Date(2025, 6, 9, 9, 41, 0, 0, time.UTC)), Root: t.TempDir()})
		if err == nil {
			err = apps.Write(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		run := func(args ...string) []byte {
			var both bytes.Buffer
			simctl.Run(context.Background(), w, tool.Call{Args: args, Dir: dir, Stdout: &both, Stderr: &both}.Complete())
			return both.Bytes()
		}
		run("boot", on)
		run("install", on, "Shop.app")
		run("launch", on, "com.iosagent.shop")
		for _, level := range []world.Level{world.LevelDebug, world.LevelInfo, world.LevelDefault, world.LevelError, world.LevelFault} {
			e := world.Entry{Level: level, Process: "Shop", PID: 7, Subsystem: "com.iosagent.shop", Category: "net", Message: "one\n  two"}
			if err := w.Log(w.Devices()[0].UDID, e); err != nil {
				t.Fatal(err)
			}
		}
		all := map[string][]byte{}
		for name, args := range commands[kind] {
			all[name] = run(args...)
		}
		if kind == "ndjson" { // the recordings are entries only, without what show says before and after them
			all[kind] = regexp.MustCompile(`(?m)^(Filtering .*|\{"count".*)\n`).ReplaceAll(all[kind], nil)
		}
		return all
	}
}
