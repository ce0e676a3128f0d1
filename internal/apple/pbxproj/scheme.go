package pbxproj

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// Scheme is one shared scheme.
type Scheme struct {
	Name    string
	Build   []string // targets to build
	Tests   []string // targets to test
	Skipped []string // those of Tests that are not run
	Run     string   // the app to launch
	Plans   []string // test plans, as references into the container
	Serial  bool     // tests run on the device that was asked for, never on clones of it

	// Configurations are the names by action: BuildAction has none; TestAction, LaunchAction, ArchiveAction…
	Configurations map[string]string
}

// SchemeOf is the scheme Xcode makes for an app: it builds it, runs it and runs the tests that depend on it.
func (p Project) SchemeOf(target string) Scheme {
	s := Scheme{Name: target, Build: []string{target}, Run: target}
	for _, t := range p.Targets {
		for _, on := range t.Dependencies {
			if t.Kind.Tests() && on == target {
				s.Tests = append(s.Tests, t.Name)
			}
		}
	}
	return s
}

// SchemeXML is the contents of the scheme's .xcscheme.
func (p Project) SchemeXML(s Scheme) []byte {
	var b strings.Builder
	b.WriteString(xml.Header)
	b.WriteString("<Scheme\n   LastUpgradeVersion = \"1640\"\n   version = \"1.7\">\n")
	b.WriteString("   <BuildAction\n      parallelizeBuildables = \"YES\"\n      buildImplicitDependencies = \"YES\">\n      <BuildActionEntries>\n")
	for _, name := range s.Build {
		fmt.Fprintf(&b, "         <BuildActionEntry\n            buildForTesting = \"YES\"\n            buildForRunning = \"YES\"\n            buildForProfiling = \"YES\"\n            buildForArchiving = \"YES\"\n            buildForAnalyzing = \"YES\">\n%s         </BuildActionEntry>\n", p.reference(name, "            "))
	}
	b.WriteString("      </BuildActionEntries>\n   </BuildAction>\n")
	b.WriteString("   <TestAction\n      buildConfiguration = \"Debug\"\n      selectedDebuggerIdentifier = \"Xcode.DebuggerFoundation.Debugger.LLDB\"\n      selectedLauncherIdentifier = \"Xcode.DebuggerFoundation.Launcher.LLDB\"\n      shouldUseLaunchSchemeArgsEnv = \"YES\"\n      shouldAutocreateTestPlan = \"YES\">\n      <Testables>\n")
	for _, name := range s.Tests {
		fmt.Fprintf(&b, "         <TestableReference\n            skipped = \"NO\"\n            parallelizable = \"%s\">\n%s         </TestableReference>\n", yesNo[!s.Serial], p.reference(name, "            "))
	}
	b.WriteString("      </Testables>\n   </TestAction>\n")
	for _, action := range []string{"LaunchAction", "ProfileAction"} {
		fmt.Fprintf(&b, "   <%s\n      buildConfiguration = %q\n      debugDocumentVersioning = \"YES\">\n", action, launchConfigurations[action])
		if s.Run != "" {
			fmt.Fprintf(&b, "      <BuildableProductRunnable\n         runnableDebuggingMode = \"0\">\n%s      </BuildableProductRunnable>\n", p.reference(s.Run, "         "))
		}
		fmt.Fprintf(&b, "   </%s>\n", action)
	}
	b.WriteString("   <AnalyzeAction\n      buildConfiguration = \"Debug\">\n   </AnalyzeAction>\n")
	b.WriteString("   <ArchiveAction\n      buildConfiguration = \"Release\"\n      revealArchiveInOrganizer = \"YES\">\n   </ArchiveAction>\n</Scheme>\n")
	return []byte(b.String())
}

var yesNo = map[bool]string{true: "YES", false: "NO"}

var launchConfigurations = map[string]string{"LaunchAction": "Debug", "ProfileAction": "Release"}

func (p Project) reference(target, pad string) string {
	t, _ := p.Target(target)
	w := writer{p: p}
	return fmt.Sprintf("%[1]s<BuildableReference\n%[1]s   BuildableIdentifier = \"primary\"\n%[1]s   BlueprintIdentifier = \"%[2]s\"\n%[1]s   BuildableName = \"%[3]s\"\n%[1]s   BlueprintName = \"%[4]s\"\n%[1]s   ReferencedContainer = \"container:%[5]s.xcodeproj\">\n%[1]s</BuildableReference>\n",
		pad, w.targetRef(target).id, escape(t.Name+"."+t.Kind.Extension()), escape(target), escape(p.Name))
}

func escape(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(s)) // into memory: cannot fail
	return b.String()
}
