package xcodebuild

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/project"
)

// Costs in modelled time.
const (
	costClean   = 400 * time.Millisecond
	costPlan    = 900 * time.Millisecond
	costCompile = 350 * time.Millisecond // per file
	costLink    = 600 * time.Millisecond // per target
	costLaunch  = 2 * time.Second        // start of a test runner
)

func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// targets are the targets of the scheme, dependencies first; with or without tests.
func (s *session) targets(tests bool) (all []buildable) {
	names := slices.Clone(s.scheme.Build)
	if tests {
		for _, name := range s.scheme.Tests {
			if !slices.Contains(s.scheme.Skipped, name) {
				names = append(names, name)
			}
		}
	}
	seen := map[string]bool{}
	for _, name := range names {
		all = s.visit(name, seen, all)
	}
	return all
}

func (s *session) visit(name string, seen map[string]bool, all []buildable) []buildable {
	b, ok := s.buildable(name)
	if !ok || seen[name] {
		return all
	}
	seen[name] = true
	for _, other := range b.needs() {
		all = s.visit(other, seen, all)
	}
	return append(all, b)
}

func (b buildable) needs() []string { return slices.Concat(b.target.Dependencies, b.target.Products) }

// graphText is the notes about targets and their dependencies, dependents first.
func graphText(all []buildable) string {
	var t strings.Builder
	noun := "targets"
	if len(all) == 1 {
		noun = "target"
	}
	fmt.Fprintf(&t, "ComputeTargetDependencyGraph\nnote: Building targets in dependency order\nnote: Target dependency "+
		"graph (%d %s)\n", len(all), noun)
	for _, b := range slices.Backward(all) {
		needs := slices.DeleteFunc(b.needs(), func(name string) bool {
			return !slices.ContainsFunc(all, func(o buildable) bool { return o.target.Name == name })
		})
		if len(needs) == 0 {
			fmt.Fprintf(&t, "    Target '%s' in project '%s' (no dependencies)\n", b.target.Name, b.project.Name)
			continue
		}
		fmt.Fprintf(&t, "    Target '%s' in project '%s'\n", b.target.Name, b.project.Name)
		for _, name := range needs {
			i := slices.IndexFunc(all, func(o buildable) bool { return o.target.Name == name })
			fmt.Fprintf(&t, "        ➜ Explicit dependency on target '%s' in project '%s'\n", name, all[i].project.Name)
		}
	}
	return t.String() + "\n"
}

// hostApp is the app that loads a unit test bundle.
func (b buildable) hostApp() string {
	app, _, ok := strings.Cut(b.settings["TEST_HOST"], ".app/")
	if b.target.Kind != project.UnitTests || !ok {
		return ""
	}
	return app + ".app"
}

// runner is the app that contains a UI test bundle.
func (b buildable) runner() string {
	return filepath.Join(b.settings["CONFIGURATION_BUILD_DIR"], b.settings["PRODUCT_NAME"]+"-Runner.app")
}

// product is the path of the target's product.
func (b buildable) product() string {
	dir, name := b.settings["CONFIGURATION_BUILD_DIR"], b.settings["FULL_PRODUCT_NAME"]
	plugins := "PlugIns"
	if b.settings["PLATFORM_NAME"] == "macosx" {
		plugins = "Contents/PlugIns"
	}
	switch host := b.hostApp(); {
	case host != "":
		return filepath.Join(host, plugins, name)
	case b.target.Kind == project.UITests:
		return filepath.Join(b.runner(), plugins, name)
	case b.target.Kind == project.PackageTarget:
		return filepath.Join(dir, b.settings["PRODUCT_NAME"]+".o")
	}
	return filepath.Join(dir, name)
}

// sourcePaths are the absolute paths of the Swift files.
func (b buildable) sourcePaths() (all []string) {
	for _, file := range b.target.Sources {
		if strings.HasSuffix(file, ".swift") {
			all = append(all, filepath.Join(b.project.Dir, file))
		}
	}
	return all
}
