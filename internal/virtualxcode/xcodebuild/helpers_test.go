package xcodebuild

import (
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/project"
	"ios-agent/internal/virtualxcode/swiftcheck"
	"ios-agent/internal/virtualxcode/tool"
)

var update = flag.Bool("update", false, "rewrite testdata")

const phone = "6C2A8F51-93D4-4E0B-A7C6-1F5B0D3E8A92"

// shelf is the devices of a test.
type shelf []Device

func (s shelf) Devices(context.Context) ([]Device, error) { return s, nil }

// bench is a sample in a folder with an xcodebuild for it.
type bench struct {
	t        *testing.T
	dir      string
	out, err strings.Builder
	calls    int
	faults   Faults
	env      map[string]string
	swift    swiftcheck.Checker
}

func newBench(t *testing.T, s project.Sample) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if s != "" {
		if err := project.Write(dir, s); err != nil {
			t.Fatal(err)
		}
	}
	return &bench{t: t, dir: dir}
}

func (b *bench) run(argv ...string) int {
	b.out.Reset()
	b.err.Reset()
	b.calls++
	env := map[string]string{"HOME": filepath.Join(b.dir, "home"), "USER": "dev"}
	maps.Copy(env, b.env)
	return Tool{Call: tool.Call{Args: argv, Dir: b.dir, Env: env, Stdout: &b.out, Stderr: &b.err}, Faults: b.faults, Swift: b.swift,
		Now: func() time.Time {
			return time.Date(2026, 3, 4, 12, 0, b.calls, 0, time.UTC)
		},
		Devices: shelf{
			{UDID: phone, Name: "iPhone 16 Pro", Platform: "iOS Simulator", OS: "18.5", Build: "22F77"},
			{UDID: "0D1F5A3B-0000-4000-8000-000000000017", Name: "iPhone 15", Platform: "iOS Simulator", OS: "17.5", Build: "21F79"},
			{UDID: "0D1F5A3B-0000-4000-8000-00000000000A", Name: "Apple Watch Series 10 (46mm)", Platform: "watchOS Simulator", OS: "11.5",
				Build: "22T572"},
			{UDID: "0D1F5A3B-0000-4000-8000-00000000000B", Name: "Old iPad", Platform: "iOS Simulator", OS: "16.4",
				Unavailable: "runtime profile not found"},
		}}.Run(context.Background())
}

// must runs and insists on an exit status.
func (b *bench) must(exit int, argv ...string) {
	b.t.Helper()
	if got := b.run(argv...); got != exit {
		b.t.Fatalf("%v: exit %d, want %d\n%s\n%s", argv, got, exit, b.out.String(), b.err.String())
	}
}

var process = regexp.MustCompile(`xcodebuild\[\d+:\d+\]`)

// transcript is both outputs without what differs between runs.
func (b *bench) transcript() string {
	text := "-- stdout --\n" + b.out.String() + "-- stderr --\n" + b.err.String()
	text = strings.ReplaceAll(text, b.dir, "/DIR")
	text = strings.ReplaceAll(text, os.TempDir(), "/TMP")
	for hash := range hashes(text) {
		text = strings.ReplaceAll(text, hash, "HASH")
	}
	return process.ReplaceAllString(text, "xcodebuild[1:16]")
}

var hashed = regexp.MustCompile(`[a-z]{28}/|\b[0-9a-f]{32}\b`)

func hashes(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range hashed.FindAllString(text, -1) {
		all[strings.TrimSuffix(m, "/")] = true
	}
	return all
}

func (b *bench) golden(name string) {
	b.t.Helper()
	path, got := filepath.Join("testdata", name+".txt"), b.transcript()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got {
		b.t.Errorf("%s is stale: run with -update (%v)\n%s", path, err, got)
	}
}
