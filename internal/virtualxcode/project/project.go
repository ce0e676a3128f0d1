// Package project reads Xcode projects and workspaces as they lie in their folders, and writes sample ones. It knows
// nothing of building. What a project is, and how it is written, is apple/pbxproj's.
package project

import "ios-agent/internal/apple/pbxproj"

// What is read has the types of what is written.
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

// The kinds that are written; others are only read.
const (
	App       = pbxproj.App
	UnitTests = pbxproj.UnitTests
	UITests   = pbxproj.UITests
	Framework = pbxproj.Framework
)

// Configure is the Debug and Release pair most projects have.
func Configure(both, debug, release map[string]string) []Configuration {
	return pbxproj.Configure(both, debug, release)
}

// Settings are those of the named configuration; nil if there is none.
func Settings(all []Configuration, name string) map[string]string { return pbxproj.Settings(all, name) }

// IsSource says whether a file is compiled; what is not is a resource.
func IsSource(name string) bool { return pbxproj.IsSource(name) }
