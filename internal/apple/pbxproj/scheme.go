package pbxproj

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// Scheme is one shared scheme.
type Scheme struct {
	Name  string
	Build []string // targets to build
	Tests []string // targets to test
	// Packages are the folders of local packages, relative to the project, by the targets of Tests that they have.
	Packages map[string]string
	Skipped  []string // tests of Tests to skip
	Run      string   // the app to launch
	Plans    []string // test plans, as references into the container
	Serial   bool     // tests run on the requested device, never on clones of it
	Lean     bool     // tests run without a debugger and a test plan, and without recordings

	// Configurations are the names by action: BuildAction has none; TestAction, LaunchAction, ArchiveAction…
	Configurations map[string]string
}

// SchemeOf is the scheme that Xcode creates for an app: it builds and runs the app, and runs the tests that depend on it.
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

// The parts of a scheme's file. A %s at the beginning of a line is a reference to a target.
const (
	schemeHead = `<Scheme
   LastUpgradeVersion = "1640"
   version = "1.7">
   <BuildAction
      parallelizeBuildables = "YES"
      buildImplicitDependencies = "YES">
      <BuildActionEntries>
`
	schemeEntry = `         <BuildActionEntry
            buildForTesting = "YES"
            buildForRunning = "YES"
            buildForProfiling = "YES"
            buildForArchiving = "YES"
            buildForAnalyzing = "YES">
%s         </BuildActionEntry>
`
	schemeTests = `      </BuildActionEntries>
   </BuildAction>
   <TestAction
      buildConfiguration = "Debug"
      selectedDebuggerIdentifier = %s>
      <Testables>
`
	usualTests = `"Xcode.DebuggerFoundation.Debugger.LLDB"
      selectedLauncherIdentifier = "Xcode.DebuggerFoundation.Launcher.LLDB"
      shouldUseLaunchSchemeArgsEnv = "YES"
      shouldAutocreateTestPlan = "YES"`
	leanTests = `""
      selectedLauncherIdentifier = "Xcode.IDEFoundation.Launcher.PosixSpawn"
      shouldUseLaunchSchemeArgsEnv = "YES"
      systemAttachmentLifetime = "keepNever"
      userAttachmentLifetime = "keepNever"
      preferredScreenCaptureFormat = "screenshots"`
	schemeTestable = `         <TestableReference
            skipped = "NO"
            parallelizable = "%s">
%s         </TestableReference>
`
	schemeTestsEnd = `      </Testables>
   </TestAction>
`
	schemeLaunch = `   <%s
      buildConfiguration = %q
      debugDocumentVersioning = "YES">
`
	schemeRunnable = `      <BuildableProductRunnable
         runnableDebuggingMode = "0">
%s      </BuildableProductRunnable>
`
	schemeTail = `   <AnalyzeAction
      buildConfiguration = "Debug">
   </AnalyzeAction>
   <ArchiveAction
      buildConfiguration = "Release"
      revealArchiveInOrganizer = "YES">
   </ArchiveAction>
</Scheme>
`
	schemeReference = `%[1]s<BuildableReference
%[1]s   BuildableIdentifier = "primary"
%[1]s   BlueprintIdentifier = "%[2]s"
%[1]s   BuildableName = "%[3]s"
%[1]s   BlueprintName = "%[4]s"
%[1]s   ReferencedContainer = "container:%[5]s">
%[1]s</BuildableReference>
`
)

// SchemeXML is the contents of the scheme's .xcscheme.
func (p Project) SchemeXML(s Scheme) []byte {
	var b strings.Builder
	b.WriteString(xml.Header + schemeHead)
	for _, name := range s.Build {
		fmt.Fprintf(&b, schemeEntry, p.reference(name, "            "))
	}
	tests := usualTests
	if s.Lean {
		tests = leanTests
	}
	fmt.Fprintf(&b, schemeTests, tests)
	parallel := "YES"
	if s.Serial {
		parallel = "NO"
	}
	for _, name := range s.Tests {
		reference := p.reference(name, "            ")
		if folder := s.Packages[name]; folder != "" { // a target of a package has no number and no product
			reference = fmt.Sprintf(schemeReference, "            ", escape(name), escape(name), escape(name), escape(folder))
		}
		fmt.Fprintf(&b, schemeTestable, parallel, reference)
	}
	b.WriteString(schemeTestsEnd)
	for _, action := range []string{"LaunchAction", "ProfileAction"} {
		fmt.Fprintf(&b, schemeLaunch, action, launchConfigurations[action])
		if s.Run != "" {
			fmt.Fprintf(&b, schemeRunnable, p.reference(s.Run, "         "))
		}
		fmt.Fprintf(&b, "   </%s>\n", action)
	}
	b.WriteString(schemeTail)
	return []byte(b.String())
}

var launchConfigurations = map[string]string{"LaunchAction": "Debug", "ProfileAction": "Release"}

func (p Project) reference(target, pad string) string {
	t, _ := p.Target(target)
	w := writer{p: p}
	return fmt.Sprintf(schemeReference, pad, w.targetRef(target).id, escape(t.Name+"."+t.Kind.Extension()), escape(target),
		escape(p.Name)+".xcodeproj")
}

func escape(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(s)) // into memory: cannot fail
	return b.String()
}
