package pbxproj

import (
	"path"
	"slices"
	"strings"
)

// Kind is Xcode's product type of a target.
type Kind string

// The kinds that can be written; other kinds are only read.
const (
	App       Kind = "com.apple.product-type.application"
	UnitTests Kind = "com.apple.product-type.bundle.unit-test"
	UITests   Kind = "com.apple.product-type.bundle.ui-testing"
	Framework Kind = "com.apple.product-type.framework"
)

// Tests reports whether the target is a bundle of tests.
func (k Kind) Tests() bool { return k == UnitTests || k == UITests }

// Extension is the extension of the product.
func (k Kind) Extension() string { return extensions[k] }

var extensions = map[Kind]string{App: "app", UnitTests: "xctest", UITests: "xctest", Framework: "framework"}

// productTypes are Xcode's names for the files in Products.
var productTypes = map[string]string{"app": "wrapper.application", "xctest": "wrapper.cfbundle", "framework": "wrapper.framework"}

// fileTypes are Xcode's names for the files of a project, by extension.
var fileTypes = map[string]string{
	".swift": "sourcecode.swift", ".m": "sourcecode.c.objc", ".h": "sourcecode.c.h", ".xcassets": "folder.assetcatalog",
	".plist": "text.plist.xml", ".yaml": "text.yaml", ".yml": "text.yaml", ".xcconfig": "text.xcconfig",
	".entitlements": "text.plist.entitlements", ".md": "net.daringfireball.markdown", ".strings": "text.plist.strings",
	".storyboard": "file.storyboard", ".json": "text.json",
}

func fileType(name string) string {
	if known, ok := fileTypes[strings.ToLower(path.Ext(name))]; ok {
		return known
	}
	return "text"
}

// sourceExtensions are the extensions of compiled files.
var sourceExtensions = []string{".swift", ".m", ".mm", ".c", ".cpp"}

// IsSource reports whether a file is compiled; other files are resources.
func IsSource(name string) bool { return slices.Contains(sourceExtensions, path.Ext(name)) }

// Platform is one of Apple's platforms, with its names in settings.
type Platform struct {
	SDK        string // of a device, such as iphoneos
	Simulator  string // empty: without simulator
	Deployment string // the setting that names the oldest system
	Version    string // of that setting in new projects
	Families   string // TARGETED_DEVICE_FAMILY
}

// Platforms are the platforms for new projects.
var platforms = map[string]Platform{
	"iOS":      {"iphoneos", "iphonesimulator", "IPHONEOS_DEPLOYMENT_TARGET", "17.0", "1,2"},
	"macOS":    {"macosx", "", "MACOSX_DEPLOYMENT_TARGET", "14.0", ""},
	"watchOS":  {"watchos", "watchsimulator", "WATCHOS_DEPLOYMENT_TARGET", "10.0", "4"},
	"tvOS":     {"appletvos", "appletvsimulator", "TVOS_DEPLOYMENT_TARGET", "17.0", "3"},
	"visionOS": {"xros", "xrsimulator", "XROS_DEPLOYMENT_TARGET", "1.0", "7"},
}

// PlatformOf finds a platform by its name, such as iOS.
func PlatformOf(name string) (Platform, bool) {
	p, ok := platforms[name]
	return p, ok
}
