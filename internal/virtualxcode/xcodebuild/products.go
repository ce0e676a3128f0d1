package xcodebuild

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"howett.net/plist"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/virtualxcode/project"
)

// inside is a path in the product: folder is the setting with the relative folder, including the product's name.
func (b buildable) inside(folder string) string {
	_, rest, _ := strings.Cut(b.settings[folder], "/")
	return filepath.Join(b.product(), rest)
}

func (b buildable) resources() string { return b.inside("UNLOCALIZED_RESOURCES_FOLDER_PATH") }
func (b buildable) infoPlist() string { return b.inside("INFOPLIST_PATH") }

func (b buildable) executable() string {
	if b.target.Kind == project.PackageTarget {
		return b.product()
	}
	return filepath.Join(b.inside("EXECUTABLE_FOLDER_PATH"), b.settings["EXECUTABLE_NAME"])
}

// Executables of products. The executable of a macOS app is a script that keeps running, so that the app can be opened and quit: it
// reads from a pipe without a writer. A script that started another program to wait would show that program's name, or leave it running
// when it is killed. Other executables do nothing; they begin like a program for arm64.
const (
	macStub = "#!/bin/sh\n# An app of Virtual Xcode: it is there until it is quit.\nd=$(mktemp -d) && mkfifo \"$d/quit\" && exec " +
		"3<>\"$d/quit\" && rm -r \"$d\" && read -r _ <&3\n"
	machOHeader = "\xcf\xfa\xed\xfe\x0c\x00\x00\x01\x00\x00\x00\x00\x02\x00\x00\x00 an app of Virtual Xcode\n"
)

func (b buildable) stub() []byte {
	if b.settings["PLATFORM_NAME"] == "macosx" && b.target.Kind == project.App {
		return []byte(macStub)
	}
	return []byte(machOHeader)
}

// writeProduct writes the product of the target.
func (s *session) writeProduct(b buildable, in inputs) error {
	if err := write(b.executable(), b.stub(), 0o755); err != nil || b.target.Kind == project.PackageTarget {
		return err
	}
	info, err := b.info()
	if err != nil {
		return err
	}
	if err := write(b.infoPlist(), info, 0o644); err != nil {
		return err
	}
	for _, file := range b.target.Resources {
		if err := copyResource(filepath.Join(b.project.Dir, file), b.resources()); err != nil {
			return err
		}
	}
	if b.target.Kind.Tests() {
		return s.writeTests(b, in)
	}
	return write(filepath.Join(filepath.Dir(b.infoPlist()), "PkgInfo"), []byte("APPL????"), 0o644)
}

// maxResource is the maximum size of a copied file.
const maxResource = 256 << 20

// copyResource copies one file; an asset catalogue becomes one file, as in Xcode. It skips folders and missing files, where the real
// tool fails.
func copyResource(from, dir string) error {
	if strings.HasSuffix(from, ".xcassets") {
		return write(filepath.Join(dir, "Assets.car"), []byte("BOMStore"), 0o644)
	}
	data, err := regularfile.Read(from, maxResource)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, regularfile.ErrNotRegular) {
		return nil
	}
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, filepath.Base(from)), data, 0o644)
}

// packageTypes are CFBundlePackageType by kind of target.
var packageTypes = map[project.Kind]string{project.App: "APPL", project.Framework: "FMWK", project.UnitTests: "BNDL",
	project.UITests: "BNDL"}

// info is the Info.plist of the product: Xcode's generated keys, overridden by the project's own file.
func (b buildable) info() ([]byte, error) {
	v := b.settings
	all := map[string]any{
		"CFBundleDevelopmentRegion": "en", "CFBundleExecutable": v["EXECUTABLE_NAME"], "CFBundleIdentifier": v["PRODUCT_BUNDLE_IDENTIFIER"],
		"CFBundleInfoDictionaryVersion": "6.0", "CFBundleName": v["PRODUCT_NAME"], "CFBundlePackageType": packageTypes[b.target.Kind],
		"CFBundleShortVersionString": cmp.Or(v["MARKETING_VERSION"], "1.0"), "CFBundleVersion": cmp.Or(v["CURRENT_PROJECT_VERSION"], "1"),
		"DTPlatformName": v["PLATFORM_NAME"], "DTPlatformVersion": v["SDK_VERSION"], "DTSDKName": v["SDK_NAME"], "DTXcode": xcodeNumber,
		"DTXcodeBuild": xcodeBuild,
	}
	format := plist.BinaryFormat
	p, _ := platformOf(v["PLATFORM_NAME"])
	if p.sdk == "macosx" {
		format = plist.XMLFormat
		all["LSMinimumSystemVersion"], all["CFBundleSupportedPlatforms"] = v[p.deployment], []string{p.folder}
	} else {
		all["MinimumOSVersion"], all["CFBundleSupportedPlatforms"] = v[p.deployment], []string{p.folder}
		all["UIDeviceFamily"] = families(v["TARGETED_DEVICE_FAMILY"])
	}
	b.generatedKeys(all)
	if err := b.ownInfo(all); err != nil {
		return nil, err
	}
	return plist.MarshalIndent(all, format, "\t")
}

func families(setting string) []int {
	all := []int{}
	for f := range strings.SplitSeq(setting, ",") {
		if f = strings.TrimSpace(f); len(f) == 1 && f[0] >= '1' && f[0] <= '9' {
			all = append(all, int(f[0]-'0'))
		}
	}
	return all
}

// generatedKeys are the keys from INFOPLIST_KEY_ settings, without the settings that control generation.
func (b buildable) generatedKeys(all map[string]any) {
	for key, value := range b.settings {
		name, is := strings.CutPrefix(key, "INFOPLIST_KEY_")
		switch {
		case !is || value == "":
		case name == "UILaunchScreen_Generation":
			all["UILaunchScreen"] = map[string]any{}
		case strings.HasSuffix(name, "_Generation"):
		case value == "YES" || value == "NO":
			all[name] = value == "YES"
		default:
			all[name] = value
		}
	}
}

// ownInfo reads INFOPLIST_FILE and expands its settings.
func (b buildable) ownInfo(all map[string]any) error {
	file := b.settings["INFOPLIST_FILE"]
	if file == "" {
		return nil
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(b.project.Dir, file)
	}
	data, err := regularfile.Read(file, maxPlist)
	if err != nil {
		return err
	}
	own := map[string]any{}
	if _, err := plist.Unmarshal([]byte(expand(b.settings, string(data), nil)), &own); err != nil {
		return err
	}
	for key, value := range own {
		all[key] = value
	}
	return nil
}
