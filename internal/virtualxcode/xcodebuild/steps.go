package xcodebuild

import (
	"fmt"
	"path/filepath"
	"strings"

	"ios-agent/internal/virtualxcode/project"
)

// stepLog prints the commands of one target.
type stepLog struct {
	s *session
	b buildable
}

// escapePath escapes a path like the log.
func escapePath(p string) string { return strings.ReplaceAll(p, " ", `\ `) }

func (l stepLog) where() string {
	return fmt.Sprintf("(in target '%s' from project '%s')", l.b.target.Name, l.b.project.Name)
}

// step is a command and its arguments.
func (l stepLog) step(head, command string) {
	l.s.say("%s %s\n    cd %s\n    %s\n\n", head, l.where(), escapePath(l.b.project.Dir), command)
}

func (l stepLog) temp(file string) string {
	return escapePath(filepath.Join(l.b.settings["OBJECT_FILE_DIR_normal"], "arm64", file))
}

// prepare prints the steps before compiling.
func (l stepLog) prepare(in inputs) {
	name := l.b.settings["PRODUCT_NAME"]
	if l.b.target.Kind != project.PackageTarget && l.signs() {
		l.entitlements()
	}
	for _, file := range []string{name + ".SwiftFileList", name + ".LinkFileList", name + "-OutputFileMap.json"} {
		l.step("WriteAuxiliaryFile "+l.temp(file), "write-file "+l.temp(file))
	}
	if l.b.target.Kind != project.PackageTarget {
		l.step("MkDir "+escapePath(l.b.product()), "/bin/mkdir -p "+escapePath(l.b.product()))
	}
	if len(in.fresh) > 0 {
		l.step(fmt.Sprintf("SwiftDriver %s normal arm64 com.apple.xcode.tools.swift.compiler", escapePath(l.b.target.Name)),
			fmt.Sprintf("builtin-SwiftDriver -- %s/usr/bin/swiftc -module-name %s %s -enforce-exclusivity\\=checked @%s -sdk %s -target %s",
				toolchain, l.b.settings["PRODUCT_MODULE_NAME"],
				l.b.settings["SWIFT_OPTIMIZATION_LEVEL"], l.temp(name+".SwiftFileList"), l.b.settings["SDK_DIR"], l.triple()))
	}
}

func (l stepLog) triple() string {
	return "arm64-apple-" + fmt.Sprintf(l.s.destination.triple, l.b.settings[l.s.destination.deployment])
}

// compile prints the compilation of a file with its diagnostics; an error causes two failed commands.
func (l stepLog) compile(src source) (failed []string, first string) {
	heads := []string{
		fmt.Sprintf("SwiftCompile normal arm64 Compiling\\ %s %s %s", escapePath(filepath.Base(src.path)), escapePath(src.path), l.where()),
		fmt.Sprintf("SwiftCompile normal arm64 %s %s", escapePath(src.path), l.where()),
	}
	for _, i := range src.issues {
		if i.severity == "error" && first == "" {
			failed, first = heads, i.message
		}
	}
	l.s.say("%s\n", heads[0])
	if len(failed) > 0 {
		l.s.say("Failed frontend command:\n%s/usr/bin/swift-frontend -frontend -c -primary-file %s -module-name %s -target %s\n", toolchain,
			escapePath(src.path), l.b.settings["PRODUCT_MODULE_NAME"], l.triple())
	}
	l.s.say("\n%s\n    cd %s\n    \n", heads[1], escapePath(l.b.project.Dir))
	for _, i := range src.issues {
		if i.severity != "analyze" {
			fmt.Fprint(l.s.Stdout, i.print()) // -quiet does not hide diagnostics
		}
	}
	l.s.say("\n")
	return failed, first
}

// print prints a diagnostic with its line and a caret.
func (i issue) print() string {
	if i.line == 0 {
		return fmt.Sprintf("error: %s\n", i.message)
	}
	caret := strings.Repeat(" ", max(i.column-1, 0)) + "^" + strings.Repeat("~", max(i.width-1, 0))
	return fmt.Sprintf("%s:%d:%d: %s: %s\n%s\n%s\n", i.path, i.line, i.column, i.severity, i.message, i.text, caret)
}

// analyze prints the analyzer's warnings in a file.
func (l stepLog) analyze(src source) {
	l.s.say("AnalyzeShallow %s normal arm64 %s\n    cd %s\n    \n", escapePath(src.path), l.where(), escapePath(l.b.project.Dir))
	for _, i := range src.issues {
		if i.severity == "analyze" {
			i.severity = "warning"
			fmt.Fprint(l.s.Stdout, i.print())
		}
	}
	l.s.say("\n")
}

// module prints the steps between compiling and linking.
func (l stepLog) module() {
	for _, part := range []string{"Compilation Requirements", "Compilation"} {
		l.step(fmt.Sprintf("SwiftDriver\\ %s %s normal arm64 com.apple.xcode.tools.swift.compiler", escapePath(part),
			escapePath(l.b.target.Name)),
			fmt.Sprintf("builtin-Swift-%s -- %s/usr/bin/swiftc -module-name %s @%s", strings.ReplaceAll(part, " ", "-"), toolchain,
				l.b.settings["PRODUCT_MODULE_NAME"], l.temp(l.b.settings["PRODUCT_NAME"]+".SwiftFileList")))
	}
	l.s.say("SwiftEmitModule normal arm64 Emitting\\ module\\ for\\ %s %s\n\nEmitSwiftModule normal arm64 %s\n    cd %s\n    \n\n",
		l.b.settings["PRODUCT_MODULE_NAME"], l.where(), l.where(), escapePath(l.b.project.Dir))
}

// finish prints the steps after linking: the bundle, its signature.
func (l stepLog) finish() {
	product := escapePath(l.b.product())
	if l.b.target.Kind == project.PackageTarget {
		return
	}
	for _, file := range l.b.target.Resources {
		from := escapePath(filepath.Join(l.b.project.Dir, file))
		if strings.HasSuffix(file, ".xcassets") {
			l.step("GenerateAssetSymbols "+from, developer+"/usr/bin/actool "+from+" --compile "+escapePath(l.b.resources())+
				" --generate-swift-asset-symbols "+escapePath(l.b.settings["DERIVED_FILE_DIR"])+"/GeneratedAssetSymbols.swift")
			l.step("CompileAssetCatalogVariant thinned "+escapePath(l.b.resources())+" "+from, developer+"/usr/bin/actool "+from+
				" --compile "+escapePath(l.b.resources()))
			continue
		}
		to := escapePath(filepath.Join(l.b.resources(), filepath.Base(file)))
		l.step("CpResource "+to+" "+from, "builtin-copy -exclude .DS_Store -exclude CVS -exclude .svn -exclude .git -exclude .hg "+
			"-resolve-src-symlinks "+from+" "+escapePath(l.b.resources()))
	}
	plain := escapePath(filepath.Join(l.b.settings["TARGET_TEMP_DIR"], "empty-"+l.b.settings["PRODUCT_NAME"]+".plist"))
	l.step("ProcessInfoPlistFile "+escapePath(l.b.infoPlist())+" "+plain,
		fmt.Sprintf("builtin-infoPlistUtility %s -producttype %s -expandbuildsettings -platform %s -o %s", plain, l.b.target.Kind,
			l.b.settings["PLATFORM_NAME"], escapePath(l.b.infoPlist())))
	if l.b.settings["DEBUG_INFORMATION_FORMAT"] == "dwarf-with-dsym" {
		l.step(fmt.Sprintf("GenerateDSYMFile %s.dSYM %s", product, escapePath(l.b.executable())),
			fmt.Sprintf("%s/usr/bin/dsymutil %s -o %s.dSYM", toolchain, escapePath(l.b.executable()), product))
	}
	l.step("CopySwiftLibs "+product, "builtin-swiftStdLibTool --copy --verbose --sign - --scan-executable "+escapePath(l.b.executable())+
		" --platform "+l.b.settings["PLATFORM_NAME"])
	l.s.say("ExtractAppIntentsMetadata %[1]s\n    cd %[2]s\n    %[3]s/usr/bin/appintentsmetadataprocessor --output %[4]s\nnote: "+
		"Metadata extraction skipped. No AppIntents.framework dependency found. %[1]s\n\n", l.where(), escapePath(l.b.project.Dir),
		toolchain, product)
	if l.signs() {
		l.s.say("CodeSign %[1]s %[2]s\n    cd %[3]s\n    \n    Signing Identity:     \"-\"\n    \n    /usr/bin/codesign --force --sign "+
			"- --timestamp\\=none --generate-entitlement-der %[1]s\n\n", product, l.where(), escapePath(l.b.project.Dir))
	}
	l.step("RegisterExecutionPolicyException "+product, "builtin-RegisterExecutionPolicyException "+product)
	if l.b.target.Kind == project.App {
		l.step("Validate "+product, "builtin-validationUtility "+product)
	}
	l.step("Touch "+product, "/usr/bin/touch -c "+product)
	if l.b.target.Kind == project.App && l.b.settings["PLATFORM_NAME"] == "macosx" {
		l.step("RegisterWithLaunchServices "+product,
			"/System/Library/Frameworks/CoreServices.framework/Versions/Current/Frameworks/LaunchServices.framework/"+
				"Versions/Current/Support/lsregister -f -R -trusted "+product)
	}
}

func (l stepLog) signs() bool { return l.b.settings["CODE_SIGNING_ALLOWED"] != "NO" }

// entitlements are written before any compilation.
func (l stepLog) entitlements() {
	file := escapePath(filepath.Join(l.b.settings["TARGET_TEMP_DIR"], l.b.settings["FULL_PRODUCT_NAME"]+".xcent"))
	l.s.say("ProcessProductPackaging \"\" %[1]s %[2]s\n    cd %[3]s\n    \n    Entitlements:\n    \n    {\n    "+
		"\"application-identifier\" = \"%[4]s\";\n}\n    \n    builtin-productPackagingUtility -entitlements -format xml -o %[1]s\n\n",
		file, l.where(), escapePath(l.b.project.Dir), l.b.settings["PRODUCT_BUNDLE_IDENTIFIER"])
	l.step(fmt.Sprintf("ProcessProductPackagingDER %[1]s %[1]s.der", file),
		fmt.Sprintf("/usr/bin/derq query -f xml -i %[1]s -o %[1]s.der --raw", file))
}
