package crashes_test

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
	"ios-agent/internal/telemetry/crashes"
)

// TestFramesGetLinesFromDSYM: the frames of the app get their lines from the dSYM of one of our builds; a return address is looked up one
// byte before it. Without a dSYM, that is said.
func TestFramesGetLinesFromDSYM(t *testing.T) {
	const uuid = "938A8C4A-3BE6-3A6B-865D-1E39ADBFA134"
	builds := filepath.Join(t.TempDir(), "builds [of today]*")
	dsym := filepath.Join(builds, "Shop-1", "Build", "Products", "Debug-iphonesimulator", "Shop.app.dSYM", "Contents", "Resources", "DWARF",
		"Shop")
	var asked []string
	runner, err := host.New(host.Options{Inside: func(name string) host.Main {
		if name == "mdfind" {
			return nil
		}
		return func(_ context.Context, in host.Invocation) int {
			if in.Args[0] == "dwarfdump" {
				fmt.Fprintf(in.Stdout, "UUID: %s (arm64) x\n", uuid)
				return 0
			}
			asked = in.Args[slices.Index(in.Args, "-l")+1:]
			for range asked[1:] {
				fmt.Fprintln(in.Stdout, "Cart.total() (in Shop) (Cart.swift:7)")
			}
			return 0
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	s := newStand(t, nil)
	bare := strings.NewReplacer(`"symbol":"Cart.total()","symbolLocation":12,"sourceFile":"Cart.swift","sourceLine":7`, `"x":0`).
		Replace(ips("1", "Cart.total()"))
	s.write(s.reports, "a.ips", bare, 0)
	c := s.found(crashes.Query{})[0]
	if c.Frames[0].Symbol != "" || c.Frames[0].Address != "0x100001000" {
		t.Fatalf("%+v", c.Frames)
	}
	symbols := crashes.Symbols{Atos: atos.Tool{Run: runner}, Builds: builds}
	missing := symbols.Fill(t.Context(), &c)
	if len(missing) != 1 || !strings.Contains(missing[0], "no dSYM with UUID "+uuid) || c.Frames[0].Line != 0 {
		t.Errorf("%q", missing)
	}
	s.must(os.MkdirAll(filepath.Dir(dsym), 0o700))
	s.must(os.WriteFile(dsym, nil, 0o600))
	missing = symbols.Fill(t.Context(), &c)
	if len(missing) != 0 || c.Frames[0].Line != 7 || c.Stack[1].File != "Cart.swift" || c.Frames[0].Symbol != "Cart.total()" {
		t.Errorf("%q %+v", missing, c.Frames)
	}
	if want := []string{"0x100000000", "0x100000fff", "0x100000fff"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v", asked)
	}
}
