package xcodebuild

import (
	"cmp"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"

	"ios-agent/internal/text/lazyregexp"
	"ios-agent/internal/virtualxcode/project"
)

// buildable is a target with everything needed to build it.
type buildable struct {
	project  *project.Project
	target   project.Target
	settings map[string]string
}

// buildable finds a target and computes its settings.
func (s *session) buildable(name string) (buildable, bool) {
	p, t, ok := s.container.Owner(name)
	if !ok {
		return buildable{}, false
	}
	all := s.builtin(p, t)
	overlay(all, project.Settings(p.Configurations, s.conf()))
	overlay(all, project.Settings(t.Configurations, s.conf()))
	for _, pair := range s.settings {
		all[pair[0]] = pair[1]
	}
	all["SDKROOT"], all["SUPPORTED_PLATFORMS"] = s.destination.sdkPath(), strings.Join(sdkList(sdksOf(p, t, s.conf())), " ")
	return buildable{p, t, expandAll(all)}, true
}

func sdkList(sdks []string) []string {
	if sdks != nil {
		return sdks
	}
	for _, p := range platforms {
		sdks = append(sdks, p.sdk)
	}
	return sdks
}

// overlay puts settings over lower ones; $(inherited) is the lower value.
func overlay(below, above map[string]string) {
	for key, value := range above {
		if !strings.ContainsRune(key, '[') { // conditions are not evaluated
			below[key] = strings.TrimSpace(strings.ReplaceAll(value, "$(inherited)", below[key]))
		}
	}
}

// builtin are Xcode's own settings, as expressions of each other.
func (s *session) builtin(p *project.Project, t project.Target) map[string]string {
	d := s.destination
	build := s.buildRoot()
	all := map[string]string{
		"ACTION": "build", "ARCHS": "$(NATIVE_ARCH)", "ARCHS_STANDARD": architectures, "NATIVE_ARCH": "arm64",
		"CURRENT_ARCH": "undefined_arch", "ONLY_ACTIVE_ARCH": "NO",
		"BUILD_DIR": build + "/Build/Products", "BUILD_ROOT": "$(BUILD_DIR)", "SYMROOT": "$(BUILD_DIR)", "OBJROOT": build +
			"/Build/Intermediates.noindex",
		"BUILT_PRODUCTS_DIR":      "$(CONFIGURATION_BUILD_DIR)",
		"CONFIGURATION_BUILD_DIR": "$(BUILD_DIR)/$(CONFIGURATION)$(EFFECTIVE_PLATFORM_NAME)",
		"TARGET_BUILD_DIR":        "$(CONFIGURATION_BUILD_DIR)",
		"PROJECT_TEMP_DIR":        "$(OBJROOT)/$(PROJECT_NAME).build",
		"CONFIGURATION_TEMP_DIR":  "$(PROJECT_TEMP_DIR)/$(CONFIGURATION)$(EFFECTIVE_PLATFORM_NAME)",
		"TARGET_TEMP_DIR":         "$(CONFIGURATION_TEMP_DIR)/$(TARGET_NAME).build", "TEMP_DIR": "$(TARGET_TEMP_DIR)",
		"DERIVED_FILE_DIR":       "$(TARGET_TEMP_DIR)/DerivedSources",
		"OBJECT_FILE_DIR_normal": "$(TARGET_TEMP_DIR)/Objects-normal", "CONFIGURATION": s.conf(), "EFFECTIVE_PLATFORM_NAME": d.suffix(),
		"DEVELOPER_DIR": developer, "TOOLCHAIN_DIR": toolchain, "DT_TOOLCHAIN_DIR": toolchain,
		"TOOLCHAINS":    "com.apple.dt.toolchain.XcodeDefault",
		"PLATFORM_NAME": d.sdk, "PLATFORM_DIR": d.platform.path(), "PLATFORM_DISPLAY_NAME": d.name,
		"PLATFORM_FAMILY_NAME": strings.TrimSuffix(d.name, " Simulator"),
		"SDK_NAME":             d.sdkName(), "SDK_NAMES": d.sdkName(), "SDK_DIR": d.sdkPath(), "SDK_VERSION": d.version,
		"SDK_PRODUCT_BUILD_VERSION": d.build, "PLATFORM_PRODUCT_BUILD_VERSION": d.build,
		"PROJECT": p.Name, "PROJECT_NAME": p.Name, "PROJECT_DIR": p.Dir, "PROJECT_FILE_PATH": filepath.Join(p.Dir, p.Name+".xcodeproj"),
		"SRCROOT": p.Dir, "SOURCE_ROOT": p.Dir,
		"TARGET_NAME": t.Name, "TARGETNAME": t.Name, "PRODUCT_NAME": "$(TARGET_NAME)", "PRODUCT_TYPE": string(t.Kind),
		"PRODUCT_MODULE_NAME": "$(PRODUCT_NAME:c99extidentifier)",
		"EXECUTABLE_NAME":     "$(PRODUCT_NAME)", "EXECUTABLE_PATH": "$(EXECUTABLE_FOLDER_PATH)/$(EXECUTABLE_NAME)",
		"FULL_PRODUCT_NAME": "$(PRODUCT_NAME)." + t.Kind.Extension(),
		"WRAPPER_EXTENSION": t.Kind.Extension(), "WRAPPER_NAME": "$(FULL_PRODUCT_NAME)",
		"CODESIGNING_FOLDER_PATH": "$(TARGET_BUILD_DIR)/$(FULL_PRODUCT_NAME)",
		"CODE_SIGNING_ALLOWED":    "YES", "CODE_SIGN_IDENTITY": "-", "ENABLE_TESTABILITY": "NO", "SWIFT_VERSION": "5.0",
		"SWIFT_PLATFORM_TARGET_PREFIX": strings.TrimSuffix(strings.SplitN(d.triple, "%", 2)[0], "-"),
		"XCODE_PRODUCT_BUILD_VERSION":  xcodeBuild, "XCODE_VERSION_ACTUAL": xcodeNumber, "XCODE_VERSION_MAJOR": "1600",
		"XCODE_VERSION_MINOR":       xcodeNumber,
		"PRODUCT_BUNDLE_IDENTIFIER": "", "USER": cmp.Or(s.Getenv("USER"), "dev"), "HOME": s.home(),
		d.deployment: d.version,
	}
	for key, value := range layoutOf(d, t.Kind) {
		all[key] = value
	}
	return all
}

// layoutOf are the folders inside a product: flat, or in the bundle layout of macOS.
func layoutOf(d destination, kind project.Kind) map[string]string {
	contents := "$(WRAPPER_NAME)"
	executables, resources := contents, contents
	if d.sdk == "macosx" {
		contents += "/Contents"
		executables, resources = contents+"/MacOS", contents+"/Resources"
	}
	layout := map[string]string{"CONTENTS_FOLDER_PATH": contents, "EXECUTABLE_FOLDER_PATH": executables,
		"UNLOCALIZED_RESOURCES_FOLDER_PATH": resources,
		"INFOPLIST_PATH":                    contents + "/Info.plist", "PLUGINS_FOLDER_PATH": contents + "/PlugIns",
		"FRAMEWORKS_FOLDER_PATH":        contents + "/Frameworks",
		"BUNDLE_EXECUTABLE_FOLDER_PATH": strings.TrimPrefix(strings.TrimPrefix(executables, "$(WRAPPER_NAME)"), "/")}
	if kind == project.PackageTarget {
		return nil
	}
	return layout
}

var expression = lazyregexp.New(`\$[({]([A-Za-z_][A-Za-z0-9_]*)(?::([a-z0-9]+))?[)}]`)

// expandAll replaces $(NAME). Like in Xcode, a reference to itself becomes empty.
func expandAll(all map[string]string) map[string]string {
	out := map[string]string{}
	for key := range all {
		out[key] = expand(all, all[key], []string{key})
	}
	return out
}

// maxExpansion is the maximum length of a value: settings that double each other must end.
const maxExpansion = 64 << 10

func expand(all map[string]string, value string, in []string) string {
	if len(in) > 16 || len(value) > maxExpansion {
		return ""
	}
	return expression.ReplaceAllStringFunc(value, func(match string) string {
		m := expression.FindStringSubmatch(match)
		for _, name := range in {
			if name == m[1] {
				return ""
			}
		}
		v := expand(all, all[m[1]], append(in[:len(in):len(in)], m[1]))
		return modify(v, m[2])
	})
}

var notIdentifier, notHost = lazyregexp.New(`[^A-Za-z0-9_]`), lazyregexp.New(`[^A-Za-z0-9.-]`)

func modify(v, how string) string {
	switch how {
	case "c99extidentifier", "identifier":
		return notIdentifier.ReplaceAllString(v, "_")
	case "rfc1034identifier":
		return notHost.ReplaceAllString(v, "-")
	case "lower":
		return strings.ToLower(v)
	}
	return v
}

func (s *session) home() string { return cmp.Or(s.Getenv("HOME"), "/Users/virtual") }

// buildRoot is the folder of derived data.
func (s *session) buildRoot() string {
	if s.derivedData != "" {
		return s.abs(s.derivedData)
	}
	name := strings.ReplaceAll(s.container.Name, " ", "_") + "-" + pathHash(s.container.Path)
	return filepath.Join(s.home(), "Library/Developer/Xcode/DerivedData", name)
}

// pathHash are the 28 letters that Xcode appends to a name: each half of an MD5 sum, in base 26.
func pathHash(path string) string {
	sum := md5.Sum([]byte(path))
	letters := make([]byte, 28)
	for half := range 2 {
		n := binary.BigEndian.Uint64(sum[half*8:])
		for i := 13; i >= 0; i-- {
			letters[half*14+i] = 'a' + byte(n%26)
			n /= 26
		}
	}
	return string(letters)
}

// buildID is an invented identifier in Xcode's format.
func buildID(of string) string {
	sum := md5.Sum([]byte(of))
	return strings.ToUpper(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:]))
}
