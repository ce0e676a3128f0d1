// Package xcresult writes result bundles (Bundle, Write) and plays the tools that read them: xcresulttool and xccov. A bundle is a
// folder with Apple's Info.plist and one data file in a format of Virtual Xcode; only these tools can read the data file.
package xcresult

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"howett.net/plist"

	"ios-agent/internal/machine/regularfile"
)

// Bundle is the result of one run of xcodebuild.
type Bundle struct {
	Title       string  // of the build, such as: Build "Shop"
	Scheme      string  // also the name of the test plan
	Project     string  // the name of the project or workspace
	Start, End  float64 // seconds since 1970
	Device      Device
	Build       Build
	Tested      bool // whether tests were requested
	Tests       []TestBundle
	Coverage    []CoverageTarget
	HasCoverage bool
}

// Device is the device of a run.
type Device struct {
	ID, Name, Model, Architecture, OS, OSBuild string
	Platform                                   string // such as iOS Simulator
}

// Build is the result of the compiler.
type Build struct {
	Status   string // succeeded, failed or notRequested
	Errors   []Issue
	Warnings []Issue
	Analyzer []Issue // warnings of the analyzer
}

// Issue is one diagnostic; Line and Column count from one.
type Issue struct {
	Type, Message, File, Target string
	Line, Column                int
}

// TestBundle is the tests of one target.
type TestBundle struct {
	Name   string
	UI     bool
	Suites []Suite
}

// Suite is a class or type with tests; a suite without a name holds functions outside of any type.
type Suite struct {
	Name, Display string
	Cases         []Case
}

// The results of a test.
const (
	Passed          = "Passed"
	Failed          = "Failed"
	Skipped         = "Skipped"
	ExpectedFailure = "Expected Failure"
)

// Case is one executed test.
type Case struct {
	Name       string // with parentheses
	Display    string // the display name of a Swift Testing test, or ""
	Swift      bool   // of Swift Testing
	Result     string
	Start      float64
	Duration   float64
	Failures   []Failure
	Reason     string // why it was skipped or expected to fail
	Arguments  []string
	Activities []Activity

	Tags        []string  // of Swift Testing
	Warnings    []string  // of the runtime
	Attachments []string  // names of files
	Measures    []float64 // seconds
	Runs        []Case    // several runs of the test; the fields above have the combined result
	Repetition  string    // the name of one of several runs
}

// Failure is one failed assertion.
type Failure struct {
	File    string
	Line    int
	Message string
}

// Activity is a step of a UI test.
type Activity struct {
	Title    string
	Start    float64
	Children []Activity
}

// Files of a bundle, and limits for reading.
const (
	infoFile = "Info.plist"
	dataFile = "Data/data.virtual.json"
	maxData  = 64 << 20
)

// errNotBundle means a folder without Virtual Xcode's data.
var errNotBundle = errors.New("not a result bundle of Virtual Xcode")

// Write makes the bundle at path, which must not exist.
func Write(path string, b Bundle) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	info, err := plist.MarshalIndent(map[string]any{
		"dateCreated":       time.UnixMilli(int64(b.End * 1000)).UTC(),
		"externalLocations": []string{},
		"rootId":            map[string]string{"hash": b.id("root")},
		"storage":           map[string]string{"backend": "fileBacked2", "compression": "standard"},
		"version":           map[string]int{"major": 3, "minor": 53},
	}, plist.XMLFormat, "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(path, filepath.Dir(dataFile)), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(path, dataFile), data, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(path, infoFile), info, 0o644) // last: a bundle without it is incomplete
}

// Read reads the bundle at path.
func Read(path string) (Bundle, error) {
	var b Bundle
	if _, err := os.Stat(filepath.Join(path, infoFile)); err != nil {
		return b, fmt.Errorf("%s: %w", path, errNotBundle)
	}
	data, err := regularfile.Read(filepath.Join(path, dataFile), maxData)
	if err != nil {
		return b, fmt.Errorf("%s: %w: %w", path, errNotBundle, err)
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return b, fmt.Errorf("%s: %w: %w", path, errNotBundle, err)
	}
	return b, nil
}
