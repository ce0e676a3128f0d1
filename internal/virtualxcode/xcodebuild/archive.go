package xcodebuild

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"howett.net/plist"

	"ios-agent/internal/virtualxcode/project"
)

// archive builds and puts the apps into an .xcarchive.
func (s *session) archive(ctx context.Context, a action) error {
	all := s.targets(false)
	err := s.buildTargets(ctx, all)
	if err == nil {
		err = s.writeArchive(all)
	}
	return s.banner(a, err)
}

// archiveTo is the archive's path: the requested one, or the folder of Xcode's organizer.
func (s *session) archiveTo() string {
	if s.archivePath == "" {
		name := fmt.Sprintf("%s %s.xcarchive", s.scheme.Name, s.started.Format("02-01-2006, 15.04"))
		return filepath.Join(s.home(), "Library/Developer/Xcode/Archives", s.started.Format("2006-01-02"), name)
	}
	path := s.abs(s.archivePath)
	if filepath.Ext(path) != ".xcarchive" {
		path += ".xcarchive"
	}
	return path
}

func (s *session) writeArchive(all []buildable) error {
	to := s.archiveTo()
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	info := map[string]any{"ArchiveVersion": 2, "CreationDate": s.clock.UTC().Truncate(time.Second), "Name": s.scheme.Name,
		"SchemeName": s.scheme.Name}
	for _, b := range all {
		if b.target.Kind != project.App {
			continue
		}
		path := filepath.Join("Applications", b.settings["FULL_PRODUCT_NAME"])
		if err := os.CopyFS(filepath.Join(to, "Products", path), os.DirFS(b.product())); err != nil {
			return err
		}
		if err := write(filepath.Join(to, "dSYMs", b.settings["FULL_PRODUCT_NAME"]+".dSYM/Contents/Info.plist"),
			[]byte(plistHead+"<dict/></plist>\n"), 0o644); err != nil {
			return err
		}
		info["ApplicationProperties"] = map[string]any{"ApplicationPath": path, "Architectures": []string{"arm64"},
			"CFBundleIdentifier":         b.settings["PRODUCT_BUNDLE_IDENTIFIER"],
			"CFBundleShortVersionString": b.settings["MARKETING_VERSION"], "CFBundleVersion": b.settings["CURRENT_PROJECT_VERSION"],
			"SigningIdentity": "-", "Team": b.settings["DEVELOPMENT_TEAM"]}
	}
	data, err := plist.MarshalIndent(info, plist.XMLFormat, "\t")
	if err != nil {
		return err
	}
	return write(filepath.Join(to, "Info.plist"), data, 0o644)
}

const plistHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n"

// exportArchive is -exportArchive: an .ipa, or the app itself for a Mac.
func (s *session) exportArchive(context.Context) error {
	s.invocation()
	if s.archivePath == "" || s.exportPath == "" && s.exportOptions == "" {
		return refuse(exitUsage, "The -exportArchive option requires -archivePath, -exportPath and -exportOptionsPlist.")
	}
	archive := s.abs(s.archivePath)
	if s.exportOptions == "" {
		return refuse(exitUsage, "The flag -exportOptionsPlist is required when specifying -exportArchive.")
	}
	options, err := readPlist(s.abs(s.exportOptions))
	if err != nil {
		return refuse(exitUsage, "Couldn't load -exportOptionsPlist: %v", err)
	}
	info, err := readPlist(filepath.Join(archive, "Info.plist"))
	if err != nil {
		return refuse(exitNoProject, "archive not found at path '%s'", archive)
	}
	about, _ := info["ApplicationProperties"].(map[string]any)
	app, _ := about["ApplicationPath"].(string)
	if app == "" || !filepath.IsLocal(app) {
		return s.exportFailed("exportArchive: \"" + filepath.Base(archive) + "\" contains no app to export")
	}
	if method, _ := options["method"].(string); method == "" {
		return s.exportFailed(`exportArchive: exportOptionsPlist error for key "method": expected one {debugging, release-testing, ` +
			`app-store-connect, enterprise}, but no value was provided`)
	}
	return s.export(archive, app)
}

func (s *session) exportFailed(text string) error {
	return refusal{exit: exitDestination, plain: true, text: fmt.Sprintf("error: %s\n\n** EXPORT FAILED **\n\n", text)}
}

func (s *session) export(archive, app string) error {
	from, to := filepath.Join(archive, "Products", app), s.abs(s.exportPath)
	name := strings.TrimSuffix(filepath.Base(app), ".app")
	if _, err := os.Stat(filepath.Join(from, "Contents")); err == nil { // for a Mac app
		if err := os.CopyFS(filepath.Join(to, name+".app"), os.DirFS(from)); err != nil {
			return err
		}
	} else if err := zipFolder(filepath.Join(to, name+".ipa"), from, "Payload/"+filepath.Base(app)); err != nil {
		return err
	}
	if err := write(filepath.Join(to, "DistributionSummary.plist"), []byte(plistHead+"<dict/></plist>\n"), 0o644); err != nil {
		return err
	}
	s.say("Exported %s to: %s\n** EXPORT SUCCEEDED **\n\n", filepath.Base(archive), s.exportPath)
	return nil
}
