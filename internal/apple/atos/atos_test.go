package atos_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/apple/atos"
	"ios-agent/internal/machine/host"
)

const id = "938A8C4A-3BE6-3A6B-865D-1E39ADBFA134"

// TestReadParsesAtosLines reads the forms of lines that public outputs of atos have.
func TestReadParsesAtosLines(t *testing.T) {
	text := "-[Crasher crash] (in Shop) (Crasher.m:42)\nstatic ShopApp.$main() (in Shop) (<compiler-generated>:0)\n" +
		"closure #1 (Swift.Int) -> () in Cart.total() (in Shop) + 12\n0x0000000100001234 (in Shop)\n0x100\nmain (in Shop) (main.swift)\n"
	want := []atos.Place{
		{Symbol: "-[Crasher crash]", File: "Crasher.m", Line: 42}, {Symbol: "static ShopApp.$main()", File: "<compiler-generated>"},
		{Symbol: "closure #1 (Swift.Int) -> () in Cart.total()"}, {}, {}, {Symbol: "main", File: "main.swift"}, {},
	}
	if got := atos.Read(text, 7); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestUUIDNormalizesOrRefusesText(t *testing.T) {
	for text, want := range map[string]string{
		"938a8c4a-3be6-3a6b-865d-1e39adbfa134": id, "938a8c4a3be63a6b865d1e39adbfa134": id, "": "", "938a": "",
		"938a8c4a3be63a6b865d1e39adbfa13' || 1": "", "zzza8c4a3be63a6b865d1e39adbfa134": "",
	} {
		if got := atos.UUID(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestSymbolicationRunsExpectedCommands plays mdfind, dwarfdump and atos, and holds their command lines to what the manuals say.
func TestSymbolicationRunsExpectedCommands(t *testing.T) {
	dir := t.TempDir()
	right := filepath.Join(dir, "[1] Shop.xcarchive", "dSYMs", "Shop.app.dSYM", "Contents", "Resources", "DWARF", "Shop")
	stale := filepath.Join(dir, "Shop.app", "Shop")
	for _, path := range []string{right, stale} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var ran []string
	runner, err := host.New(host.Options{Inside: func(name string) host.Main {
		return func(_ context.Context, in host.Invocation) int {
			line := name + " " + strings.Join(in.Args, " ")
			ran = append(ran, strings.ReplaceAll(line, dir, "DIR"))
			switch {
			case name == "mdfind":
				fmt.Fprintln(in.Stdout, filepath.Join(dir, "[1] Shop.xcarchive"))
			case strings.Contains(line, "dwarfdump") && strings.HasSuffix(line, right):
				fmt.Fprintf(in.Stdout, "UUID: %s (arm64) %s\n", id, right)
			case strings.Contains(line, "dwarfdump"):
				fmt.Fprintf(in.Stdout, "UUID: 00000000-3BE6-3A6B-865D-1E39ADBFA134 (arm64) %s\n", stale)
			default:
				fmt.Fprintln(in.Stdout, "Cart.total() (in Shop) (Cart.swift:7)")
			}
			return 0
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	tool := atos.Tool{Run: runner}
	file, err := tool.Symbols(t.Context(), "Shop", strings.ToLower(id), []string{stale, filepath.Join(dir, "none")})
	if err != nil || file != right {
		t.Fatalf("%q %v", file, err)
	}
	places, err := tool.Places(t.Context(), atos.Image{File: file, Arch: "arm64", Base: "0x100000000"}, []string{"0x100001fff"})
	if err != nil || places[0].Line != 7 {
		t.Errorf("%v %v", places, err)
	}
	want := []string{
		"mdfind com_apple_xcode_dsym_uuids == " + id,
		"xcrun dwarfdump --uuid DIR/Shop.app/Shop",
		"xcrun dwarfdump --uuid DIR/[1] Shop.xcarchive/dSYMs/Shop.app.dSYM/Contents/Resources/DWARF/Shop",
		"xcrun atos -o DIR/[1] Shop.xcarchive/dSYMs/Shop.app.dSYM/Contents/Resources/DWARF/Shop -arch arm64 -l 0x100000000 0x100001fff",
	}
	if !slices.Equal(ran, want) {
		t.Errorf("ran\n%s", strings.Join(ran, "\n"))
	}
	for _, bad := range []atos.Image{{File: "-o", Base: "0x1"}, {File: file, Base: "-x"}, {File: file, Base: "0x1", Arch: "-o"}} {
		if _, err := tool.Places(t.Context(), bad, []string{"0x1"}); err == nil {
			t.Errorf("%+v", bad)
		}
	}
	if _, err := tool.Places(t.Context(), atos.Image{File: file, Base: "0x1"}, []string{"--help"}); err == nil {
		t.Error("an option is taken for an address")
	}
}

func FuzzRead(f *testing.F) {
	f.Add("f (in A) (b.c:1)\n0x1 (in A)", 2)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 0 || n > 100 {
			return
		}
		if got := atos.Read(text, n); len(got) != n {
			t.Error(len(got))
		}
	})
}
