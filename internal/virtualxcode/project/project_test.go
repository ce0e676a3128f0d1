package project_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/project"
)

var update = flag.Bool("update", false, "rewrite testdata")

// write makes a sample in a new folder.
func write(t *testing.T, s project.Sample) string {
	t.Helper()
	dir := t.TempDir()
	if err := project.Write(dir, s); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestEverySampleIsReadAsItWasWritten(t *testing.T) {
	for _, s := range project.Samples() {
		t.Run(string(s), func(t *testing.T) {
			layout, err := s.Layout()
			if err != nil {
				t.Fatal(err)
			}
			dir := write(t, s)
			for folder, want := range layout.Projects {
				c, err := project.Open(filepath.Join(dir, folder, want.Name+".xcodeproj"))
				if err != nil {
					t.Fatal(err)
				}
				got := *c.Projects[0]
				got.Dir = ""
				if !reflect.DeepEqual(got, want) {
					t.Errorf("read\n%+v\nwrote\n%+v", got, want)
				}
				for _, target := range got.Targets {
					for _, file := range slices.Concat(target.Sources, target.Resources) {
						if _, err := os.Stat(filepath.Join(dir, folder, file)); err != nil {
							t.Error(err)
						}
					}
				}
			}
		})
	}
}

func TestSchemesBuildRunAndTestTheApp(t *testing.T) {
	c, err := project.Open(filepath.Join(write(t, project.SampleApp), "Tally.xcodeproj"))
	if err != nil {
		t.Fatal(err)
	}
	s, ok := c.Scheme("Tally")
	if !ok || s.Run != "Tally" || !slices.Equal(s.Tests, []string{"TallyTests", "TallyUITests"}) ||
		s.Configurations["ArchiveAction"] != "Release" {
		t.Errorf("%v %+v", ok, s)
	}
}

func TestWorkspaceKnowsItsProjectAndPackage(t *testing.T) {
	c, err := project.Open(filepath.Join(write(t, project.SampleWorkspace), "Cafe.xcworkspace"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range c.Schemes {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"Cafe", "CafeKit"}) || !c.Workspace || len(c.Projects) != 2 {
		t.Errorf("schemes %v, projects %d", names, len(c.Projects))
	}
	if p, target, ok := c.Owner("CafeKitTests"); !ok || p.Name != "CafeKit" || !slices.Equal(target.Dependencies, []string{"CafeKit"}) {
		t.Errorf("%v %+v", ok, target)
	}
}

func TestProjectFilesMatchGoldenFiles(t *testing.T) {
	layout, err := project.SampleApp.Layout()
	if err != nil {
		t.Fatal(err)
	}
	p := layout.Projects["."]
	golden(t, "app.pbxproj", p.PBXProj())
	golden(t, "app.xcscheme", p.SchemeXML(p.SchemeOf("Tally")))
	golden(t, "workspace.xcworkspacedata", project.Workspace{Refs: []string{"App/A&B.xcodeproj", "Kit"}}.Contents())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != string(got) {
		t.Errorf("%s is stale: run with -update (%v)", path, err)
	}
}

func TestWriteRefusesToReplaceFiles(t *testing.T) {
	dir := write(t, project.SampleApp)
	if err := project.Write(dir, project.SampleApp); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("%v", err)
	}
	if err := (project.Layout{Files: map[string]string{"../out": ""}}).Write(dir); err == nil {
		t.Error("left the folder")
	}
	if err := project.Write(dir, "nonsense"); err == nil {
		t.Error("no error for an unknown sample")
	}
}

// TestFolderReferencesAndXcconfigAreRead: projects of Xcode 16 name folders, and settings may lie in .xcconfig files.
func TestFolderReferencesAndXcconfigAreRead(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"X.xcodeproj/project.pbxproj": folders, "X/A.swift": "", "X/Deep/B.swift": "", "X/ui.yaml": "",
		"X/Assets.xcassets/Contents.json": "",
		"Config/Debug.xcconfig":           "#include \"Shared.xcconfig\"\nOTHER = $(inherited) two // why\n",
		"Config/Shared.xcconfig":          "OTHER = one\nPRODUCT_NAME = X\n",
	}
	if err := (project.Layout{Files: files}).Write(dir); err != nil {
		t.Fatal(err)
	}
	c, err := project.Open(filepath.Join(dir, "X.xcodeproj"))
	if err != nil {
		t.Fatal(err)
	}
	target, _ := c.Projects[0].Target("X")
	if !slices.Equal(target.Sources, []string{"X/A.swift", "X/Deep/B.swift"}) || !slices.Equal(target.Resources,
		[]string{"X/Assets.xcassets", "X/ui.yaml"}) {
		t.Errorf("%+v", target)
	}
	want := map[string]string{"OTHER": "one two", "PRODUCT_NAME": "X", "LIST": "a b"}
	if got := project.Settings(target.Configurations, "Debug"); !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	if _, ok := c.Scheme("X"); !ok {
		t.Error("a project without schemes gets one for its app")
	}
}

const folders = `// !$*UTF8*$!
{ archiveVersion = 1; objectVersion = 77; rootObject = R;
  objects = {
    R = { isa = PBXProject; mainGroup = M; targets = ( T ); };
    M = { isa = PBXGroup; children = ( F, C ); sourceTree = "<group>"; };
    F = { isa = PBXFileSystemSynchronizedRootGroup; path = X; sourceTree = "<group>"; };
    C = { isa = PBXFileReference; path = Config/Debug.xcconfig; sourceTree = "<group>"; };
    T = { isa = PBXNativeTarget; name = X; productType = "com.apple.product-type.application";
      fileSystemSynchronizedGroups = ( F ); buildConfigurationList = L; };
    L = { isa = XCConfigurationList; buildConfigurations = ( D ); };
    D = { isa = XCBuildConfiguration; name = Debug; baseConfigurationReference = C; buildSettings = { LIST = ( a, b ); }; };
  };
}`

func TestBrokenProjectsAreErrors(t *testing.T) {
	for _, data := range []string{"", "{", "{ objects = (); }", "{ objects = { A = { isa = X; }; }; rootObject = B; }", "<plist/>"} {
		if _, err := project.Parse("X", []byte(data), nil, nil); err == nil {
			t.Errorf("%q was read", data)
		}
	}
}

// TestCircularGroupsDoNotHangParser: groups that contain themselves must not hang us.
func TestCircularGroupsDoNotHangParser(t *testing.T) {
	data := `{ rootObject = R; objects = { R = { isa = PBXProject; targets = ( T ); };
		T = { isa = PBXNativeTarget; name = X; buildPhases = ( P ); }; P = { isa = PBXSourcesBuildPhase; files = ( B ); };
		B = { isa = PBXBuildFile; fileRef = G; }; G = { isa = PBXGroup; children = ( G ); path = a; sourceTree = "<group>"; }; }; }`
	if _, err := project.Parse("X", []byte(data), nil, nil); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	layout, err := project.SampleWorkspace.Layout()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(layout.Projects["App"].PBXProj())
	f.Add([]byte(folders))
	f.Fuzz(func(t *testing.T, data []byte) { project.Parse("X", data, nil, nil) })
}
