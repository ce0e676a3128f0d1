package crashes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"ios-agent/internal/apple/atos"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/regularfile"
)

// Symbols adds missing functions and lines to a report.
type Symbols struct {
	Atos   atos.Tool
	Builds string // folder with the derived data of the product's builds, which may have symbols
}

// Fill looks up functions and lines for the app's frames without one. It returns one sentence per failed lookup.
func (s Symbols) Fill(ctx context.Context, c *Crash) (missing []string) {
	for _, image := range c.Images {
		want := unknown(c, image.Name)
		if len(want) == 0 {
			continue
		}
		if err := s.fill(ctx, c, image, want); err != nil {
			missing = append(missing, err.Error())
		}
	}
	return missing
}

// unknown are the frames of an image without a line.
func unknown(c *Crash, image string) (out []*Frame) {
	for _, all := range [][]Frame{c.Frames, c.Stack} {
		for i := range all {
			if f := &all[i]; f.Own && f.Image == image && f.Line == 0 && f.Address != "" {
				out = append(out, f)
			}
		}
	}
	return out
}

func (s Symbols) fill(ctx context.Context, c *Crash, image Image, frames []*Frame) error {
	id := atos.UUID(image.UUID)
	if id == "" || image.Base == "" {
		return fmt.Errorf("no lines for %s: the report lacks its load address or UUID", image.Name)
	}
	file, err := s.Atos.Symbols(ctx, name(image), id, s.candidates(image))
	if missing, is := errors.AsType[*host.NotFoundError](err); is {
		return fmt.Errorf("no lines for %s: %s is not installed here", image.Name, missing.Name)
	}
	if err != nil {
		return fmt.Errorf("no lines for %s: %w", image.Name, err)
	}
	if file == "" {
		return fmt.Errorf("no lines for %s: no dSYM with UUID %s is on this Mac. Build with DEBUG_INFORMATION_FORMAT=dwarf-with-dsym, and keep "+
			"the build", image.Name, id)
	}
	asked := make([]string, len(frames))
	for i, f := range frames {
		asked[i] = callOf(f, c)
	}
	places, err := s.Atos.Places(ctx, atos.Image{File: file, Arch: image.Arch, Base: image.Base}, asked)
	if err != nil {
		return fmt.Errorf("no lines for %s: %w", image.Name, err)
	}
	for i, p := range places {
		if p.Symbol != "" {
			frames[i].Symbol, frames[i].File, frames[i].Line = clip(p.Symbol), clip(p.File), p.Line
		}
	}
	return nil
}

// callOf is the address to look up. All frames except the innermost have the address after the call, which may belong to another line.
func callOf(f *Frame, c *Crash) string {
	at, err := strconv.ParseUint(strings.TrimPrefix(f.Address, "0x"), 16, 64)
	if err != nil || at == 0 || len(c.Stack) > 0 && c.Stack[0].Address == f.Address {
		return f.Address
	}
	return "0x" + strconv.FormatUint(at-1, 16)
}

// name is the file name of a program; text reports have its bundle id instead.
func name(i Image) string {
	if i.Path != "" {
		return filepath.Base(i.Path)
	}
	return i.Name
}

// candidates are places with symbols that Spotlight does not know: the program itself, and the dSYMs of the product's builds.
func (s Symbols) candidates(i Image) (all []string) {
	if filepath.IsAbs(i.Path) {
		all = append(all, filepath.Clean(i.Path))
	}
	base := name(i)
	if s.Builds == "" || strings.ContainsAny(base, `*?[\/`) {
		return all
	}
	for _, products := range []string{"Build/Products", "*/Build/Products"} {
		found, err := filepath.Glob(filepath.Join(regularfile.Pattern(s.Builds), products, "*", "*.dSYM", "Contents", "Resources", "DWARF", base))
		if err == nil {
			all = append(all, found...)
		}
	}
	return all
}
