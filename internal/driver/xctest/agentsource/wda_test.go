package agentsource_test

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/machine/host"
)

// webDriverAgent is the folder of its package from npm. It uses the same parts of XCTest that Apple does not document, has headers
// of them, and is kept up to date with every Xcode. Where npm cannot be reached the test is skipped; with CI=true it fails.
func webDriverAgent(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: WebDriverAgent may have to be fetched from npm")
	}
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	script, err := filepath.Abs("../../../../scripts/npm-pack")
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.Run(t.Context(), host.Cmd{Name: script, Args: []string{"wda"}, Timeout: 3 * time.Minute})
	if err != nil && os.Getenv("CI") != "true" {
		t.Skipf("npm cannot be reached: %v\n%s", err, out.Stderr)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Stderr)
	}
	return strings.TrimSpace(string(out.Stdout))
}

// texts is what the files of the kinds say that lie below a folder.
func texts(t *testing.T, dir string, kinds ...string) string {
	t.Helper()
	var all strings.Builder
	for name, text := range read(t, dir) {
		if slices.Contains(kinds, filepath.Ext(name)) {
			all.WriteString(text)
		}
	}
	return all.String()
}

// private is the file that names what the agent uses of XCTest beyond its documentation.
const private = "AgentXCUI/Private+XCUI.swift"

// cases are the cases of an enum in the file: as they are, or what they stand for.
func cases(t *testing.T, source, enum string) []string {
	t.Helper()
	_, body, _ := strings.Cut(source, "enum "+enum+": String")
	body, _, _ = strings.Cut(body, "\n}\n")
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^    case (\w+)(?: = "([\w:]+)")?$`).FindAllStringSubmatch(body, -1) {
		all = append(all, cmp.Or(m[2], m[1]))
	}
	if len(all) < 2 {
		t.Fatalf("%s has the cases %v", enum, all)
	}
	return all
}

// TestPrivateKeysAreInWebDriverAgent finds every key that Apple does not document where WebDriverAgent has it.
func TestPrivateKeysAreInWebDriverAgent(t *testing.T) {
	wda := webDriverAgent(t)
	files := read(t, write(t))
	headers := func(name string) string {
		text, err := os.ReadFile(filepath.Join(wda, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	app, element := headers("PrivateHeaders/XCTest/XCUIApplication.h"), headers("PrivateHeaders/XCTest/XCUIElement.h")
	test := headers("PrivateHeaders/XCTest/XCTestCase.h")
	owners := map[string][]string{
		"currentInteractionOptions": {app}, "doesNotHandleUIInterruptions": {app},
		"hasKeyboardFocus":              {element, headers("WebDriverAgentLib/Routing/FBXCElementSnapshot.h")},
		"shouldHaltWhenReceivesControl": {test}, "shouldSetShouldHaltWhenReceivesControl": {test},
	}
	keys := cases(t, files[private], "PrivateKey")
	for _, key := range keys {
		property := regexp.MustCompile(`(?m)^@property ?[^;]*\b` + key + `;`)
		if len(owners[key]) == 0 || slices.ContainsFunc(owners[key], func(header string) bool { return !property.MatchString(header) }) {
			t.Errorf("no header of WebDriverAgent has the property %s where the agent looks for it", key)
		}
	}
	// A property that can be set has no readonly.
	for _, key := range keys {
		if key != "hasKeyboardFocus" &&
			regexp.MustCompile(`@property ?\([^)]*readonly[^)]*\)[^;]*\b`+key+`;`).MatchString(owners[key][0]) {
			t.Errorf("%s cannot be set", key)
		}
	}
	sources := texts(t, filepath.Join(wda, "WebDriverAgentLib"), ".m")
	for _, selector := range cases(t, files[private], "IssueMethod") {
		declared := regexp.MustCompile(`(?m)^- \(void\)` + strings.ReplaceAll(selector, ":", `:\([^)]+\)\w+ ?`) + `$`)
		if !declared.MatchString(sources) {
			t.Errorf("WebDriverAgent does not override %s", selector)
		}
	}
	for _, name := range append(cases(t, files[private], "RunnerDefault"), banners(t, files)...) {
		if !strings.Contains(sources, `@"`+name+`"`) {
			t.Errorf("WebDriverAgent does not know %s", name)
		}
	}
}

// banners are the identifiers that the agent knows of SpringBoard.
func banners(t *testing.T, files map[string]string) []string {
	t.Helper()
	_, list, _ := strings.Cut(files["AgentXCUI/XCUISurface.swift"], "static let banners = [")
	list, _, _ = strings.Cut(list, "]")
	names := strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(`", `, r) })
	if len(names) == 0 {
		t.Fatal("the agent knows no banners")
	}
	return names
}

// TestPrivateKeysAreNamedInOneFile: the test above finds only the names in that file.
func TestPrivateKeysAreNamedInOneFile(t *testing.T) {
	byName := regexp.MustCompile(`forKey|NSSelectorFromString|\bperform\(|#selector|dlsym|NSClassFromString`)
	predicate := regexp.MustCompile(`(?s)"[^"\n]*(?:==|\bIN\b) [^"\n]*"`)
	documented := regexp.MustCompile(`\b(?:elementType|identifier|label) (?:==|IN) %@`)
	for name, text := range read(t, write(t)) {
		if !strings.HasPrefix(name, "AgentXCUI/") || name == private {
			continue
		}
		if found := byName.FindString(text); found != "" {
			t.Errorf("%s uses something by its name: %s", name, found)
		}
		for _, format := range predicate.FindAllString(text, -1) {
			rest := strings.TrimSpace(strings.ReplaceAll(documented.ReplaceAllString(strings.Trim(format, `"`), ""), " OR ", ""))
			if rest != "" && !strings.HasPrefix(rest, `\(PrivateKey.`) {
				t.Errorf("%s asks for %q", name, format)
			}
		}
	}
}

// names are the elements of an XML file, and their attributes as element.attribute.
func names(t *testing.T, text string) map[string]string {
	t.Helper()
	all := map[string]string{}
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			all[start.Name.Local] = ""
			for _, a := range start.Attr {
				all[start.Name.Local+"."+a.Name.Local] = a.Value
			}
		}
	}
}

// TestSchemeHasOnlyKnownNames compares with the schemes of WebDriverAgent, which Xcode wrote.
func TestSchemeHasOnlyKnownNames(t *testing.T) {
	ours := names(t, read(t, write(t))[xcodebuild.AgentProject+"/xcshareddata/xcschemes/"+xcodebuild.AgentScheme+".xcscheme"])
	for name, value := range map[string]string{
		"TestAction.systemAttachmentLifetime": "keepNever", "TestAction.userAttachmentLifetime": "keepNever",
		"TestAction.preferredScreenCaptureFormat": "screenshots", "TestableReference.parallelizable": "NO",
	} {
		if ours[name] != value {
			t.Errorf("%s is %q, want %q", name, ours[name], value)
		}
	}
	known := map[string]string{ // these Xcode 15 added, or WebDriverAgent has no use for; XcodeProj reads and writes them
		"TestAction.userAttachmentLifetime": "", "TestAction.preferredScreenCaptureFormat": "", "TestableReference.parallelizable": "",
	}
	for file, text := range read(t, filepath.Join(webDriverAgent(t), "WebDriverAgent.xcodeproj", "xcshareddata", "xcschemes")) {
		for name, value := range names(t, text) {
			known[name] = value
		}
		t.Log(file)
	}
	for name := range ours {
		if _, ok := known[name]; !ok {
			t.Errorf("Xcode writes no %s", name)
		}
	}
}
