// Package atos finds the functions and lines of addresses. Tool runs atos, and mdfind and dwarfdump, which find a program's symbols. All
// three are on every Mac with Xcode.
package atos

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/text/lazyregexp"
)

// The maximum time of each program. The first atos of a large program reads all of its symbols.
const (
	findTime = 10 * time.Second
	readTime = 30 * time.Second
)

const (
	mostOutput    = 1 << 20
	mostAddresses = 200
	mostFound     = 20
)

// Tool runs the programs. Its methods are safe for concurrent use if Run is.
type Tool struct {
	Run    host.Runner
	Xcrun  string // path or name of xcrun; empty means "xcrun"
	Mdfind string // likewise
}

// Place is the place of an address in the source. Unknown fields are empty.
type Place struct {
	Symbol string
	File   string
	Line   int
}

var (
	uuidPattern = lazyregexp.New(`^[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}$`)
	addressIs   = lazyregexp.New(`^0x[0-9a-fA-F]{1,16}$`)
	archIs      = lazyregexp.New(`^[a-z][a-z0-9_]{1,15}$`)
	uuidLine    = lazyregexp.New(`(?m)^UUID: ([0-9A-F-]{36}) `)
	// atos prints "function (in App) (File.swift:12)", "function (in App) + 8", or the address if it is unknown.
	found = lazyregexp.New(`^(.+?) \(in (.+?)\)(?: \(([^()]+):(\d+)\)| \(([^()]+)\)| \+ \d+)?$`)
)

// UUID writes the UUID of a program as the tools do: upper case, with hyphens. It is empty for other texts.
func UUID(text string) string {
	hex := strings.ToUpper(strings.ReplaceAll(text, "-", ""))
	if len(hex) != 32 {
		return ""
	}
	id := strings.Join([]string{hex[:8], hex[8:12], hex[12:16], hex[16:20], hex[20:]}, "-")
	if !uuidPattern.MatchString(id) {
		return ""
	}
	return id
}

// Symbols finds a file with the symbols of the program name with that UUID: a file in Spotlight's index, or one of the candidates. It is
// empty if no file has them.
func (t Tool) Symbols(ctx context.Context, name, uuid string, candidates []string) (string, error) {
	id := UUID(uuid)
	if id == "" {
		return "", fmt.Errorf("atos: %.60q is not the UUID of a program", uuid)
	}
	r, err := t.Run.Run(ctx, host.Cmd{Name: cmp.Or(t.Mdfind, "mdfind"), Args: []string{"com_apple_xcode_dsym_uuids == " + id},
		Timeout: findTime, MaxOutput: mostOutput})
	if err == nil {
		lines := strings.Split(strings.TrimSpace(string(r.Stdout)), "\n")
		for _, line := range lines[:min(len(lines), mostFound)] {
			candidates = append(candidates, inside(line, name)...)
		}
	} else if ctx.Err() != nil {
		return "", ctx.Err()
	}
	for _, path := range candidates[:min(len(candidates), mostFound)] {
		if t.is(ctx, path, id) {
			return path, nil
		}
	}
	return "", ctx.Err()
}

// inside lists the files with symbols in Spotlight's results: a dSYM, or an archive that contains some.
func inside(found, name string) (all []string) {
	if !filepath.IsAbs(found) {
		return nil
	}
	for _, pattern := range []string{"Contents/Resources/DWARF/*", "dSYMs/*.dSYM/Contents/Resources/DWARF/*"} {
		names, err := filepath.Glob(filepath.Join(regularfile.Pattern(found), pattern))
		if err == nil {
			all = append(all, names...)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return rank(b, name) - rank(a, name) })
	return all
}

func rank(path, name string) int {
	if filepath.Base(path) == name {
		return 1
	}
	return 0
}

// is reports whether a file contains the program with that UUID. Another build of the program has another UUID.
func (t Tool) is(ctx context.Context, path, id string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || !filepath.IsAbs(path) {
		return false
	}
	r, err := t.Run.Run(ctx, host.Cmd{Name: cmp.Or(t.Xcrun, "xcrun"), Args: []string{"dwarfdump", "--uuid", path}, Timeout: findTime,
		MaxOutput: mostOutput})
	if err != nil {
		return false
	}
	return slices.ContainsFunc(uuidLine.FindAllStringSubmatch(string(r.Stdout), -1), func(m []string) bool { return m[1] == id })
}

// Image is a loaded program.
type Image struct {
	File string // with its symbols
	Arch string
	Base string // its load address
}

// Places returns the places of addresses, in their order.
func (t Tool) Places(ctx context.Context, in Image, addresses []string) ([]Place, error) {
	if len(addresses) > mostAddresses {
		return nil, fmt.Errorf("atos: %d addresses, the maximum is %d", len(addresses), mostAddresses)
	}
	args := []string{"atos", "-o", in.File}
	if in.Arch != "" {
		args = append(args, "-arch", in.Arch)
	}
	args = append(args, "-l", in.Base)
	if !filepath.IsAbs(in.File) || in.Arch != "" && !archIs.MatchString(in.Arch) {
		return nil, fmt.Errorf("atos: %q of %q is not a program", in.Arch, in.File)
	}
	for _, a := range append([]string{in.Base}, addresses...) {
		if !addressIs.MatchString(a) {
			return nil, fmt.Errorf("atos: %.40q is not an address", a)
		}
	}
	r, err := t.Run.Run(ctx, host.Cmd{Name: cmp.Or(t.Xcrun, "xcrun"), Args: append(args, addresses...), Timeout: readTime,
		MaxOutput: mostOutput})
	if err != nil {
		return nil, err
	}
	return Read(string(r.Stdout), len(addresses)), nil
}

// Read reads the output of atos for n addresses: a line each. A line without a place is an empty Place.
func Read(text string, n int) []Place {
	out := make([]Place, n)
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines[:min(n, len(lines))] {
		m := found.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || strings.HasPrefix(m[1], "0x") {
			continue
		}
		out[i] = Place{Symbol: m[1], File: m[3]}
		if out[i].File == "" && m[5] != "" {
			out[i].File = m[5]
		}
		out[i].Line, _ = strconv.Atoi(m[4])
	}
	return out
}
