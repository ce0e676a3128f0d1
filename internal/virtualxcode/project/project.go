// Package project reads Xcode projects, workspaces and local packages from their folders (Open), and writes sample projects (Write). It
// shares its types with apple/pbxproj, which has the file format. The package must not know how to build.
package project

import "ios-agent/internal/apple/pbxproj"

// Reading and writing share these types.
type (
	Project       = pbxproj.Project
	Target        = pbxproj.Target
	Configuration = pbxproj.Configuration
	Kind          = pbxproj.Kind
	Scheme        = pbxproj.Scheme
	Workspace     = pbxproj.Workspace
	Layout        = pbxproj.Layout
	Remote        = pbxproj.Remote
	Script        = pbxproj.Script
)

// The kinds that Write writes; other kinds are only read.
const (
	App       = pbxproj.App
	UnitTests = pbxproj.UnitTests
	UITests   = pbxproj.UITests
	Framework = pbxproj.Framework
)

// Configure returns the usual pair of configurations, Debug and Release.
func Configure(both, debug, release map[string]string) []Configuration {
	return pbxproj.Configure(both, debug, release)
}

// Settings returns the settings of a configuration, or nil.
func Settings(all []Configuration, name string) map[string]string { return pbxproj.Settings(all, name) }

// IsSource reports whether a file is compiled; other files are resources.
func IsSource(name string) bool { return pbxproj.IsSource(name) }
