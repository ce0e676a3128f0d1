package xcode

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/scaffold"
)

// projects are the tools that write new projects.
func (v views) projects() []op.Op {
	return []op.Op{
		op.New(example(tool(scaffoldIOSProject,
			"Create an iOS project: a workspace, an app and a Swift package", 0, inScaffolding),
			"scaffold-ios-project --project-name Weather --output-path ./weather"), v.scaffoldIOS),
		op.New(example(tool(scaffoldMacOSProject,
			"Create a macOS project: a workspace, an app and a Swift package", 0, inScaffolding),
			"scaffold-macos-project --project-name Ledger --output-path ./ledger"), v.scaffoldMac),
	}
}

// scaffoldIn are the inputs that both kinds of projects share.
type scaffoldIn struct {
	Name        string  `json:"projectName" doc:"a letter, then letters, digits and underscores" match:"^[A-Za-z][A-Za-z0-9_]{0,63}$"`
	Out         op.Path `json:"outputPath" doc:"folder of the project; created if missing"`
	BundleID    string  `json:"bundleIdentifier,omitempty" doc:"default: com.example.NAME" match:"^([A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+)?$"`
	DisplayName string  `json:"displayName,omitempty" doc:"name under the icon (default: the project's)"`
	Version     string  `json:"marketingVersion,omitempty" doc:"such as 1.0" match:"^([0-9]+(\\.[0-9]+){0,2})?$" default:"1.0"`
	Build       string  `json:"currentProjectVersion,omitempty" doc:"such as 1" match:"^([0-9]+(\\.[0-9]+){0,2})?$" default:"1"`
	Customize   bool    `json:"customizeNames,omitempty" doc:"false keeps the template, called MyProject, unchanged" default:"true"`
}

// orientations are the interface orientations of an app.
type orientations []string

// Choices lists all orientations.
func (orientations) Choices() []string { return scaffold.OrientationWords() }

// scaffoldIOSIn are the inputs of an iOS project.
type scaffoldIOSIn struct {
	scaffoldIn
	Deployment      string       `json:"deploymentTarget,omitempty" doc:"oldest iOS" match:"^([0-9]+(\\.[0-9]+){0,2})?$" default:"18.4"`
	Families        []string     `json:"targetedDeviceFamily,omitempty" doc:"default: universal" enum:"iphone,ipad,universal"`
	Orientations    orientations `json:"supportedOrientations,omitempty" doc:"on an iPhone"`
	PadOrientations orientations `json:"supportedOrientationsIpad,omitempty" doc:"on an iPad"`
}

// scaffoldMacIn are the inputs of a macOS project.
type scaffoldMacIn struct {
	scaffoldIn
	Deployment string `json:"deploymentTarget,omitempty" doc:"oldest macOS" match:"^([0-9]+(\\.[0-9]+){0,2})?$" default:"15.4"`
}

// scaffoldOut is a new project.
type scaffoldOut struct {
	Message   string   `json:"message"`
	Path      string   `json:"projectPath"` // the folder
	Platform  string   `json:"platform"`
	Workspace string   `json:"workspacePath"`
	Scheme    string   `json:"scheme"`
	Files     []string `json:"files"`
	NextSteps []string `json:"nextSteps"`
}

// Text is the message and the next steps.
func (o scaffoldOut) Text() string { return andNext(o.Message, o.NextSteps) }

func (in scaffoldIn) options(deployment string) scaffold.Options {
	if !in.Customize {
		return scaffold.Options{Name: scaffold.Placeholder}
	}
	return scaffold.Options{
		Name: in.Name, BundleID: in.BundleID, DisplayName: in.DisplayName,
		MarketingVersion: in.Version, ProjectVersion: in.Build, Deployment: deployment,
	}
}

func (v views) scaffoldIOS(_ context.Context, _ *op.Call, in scaffoldIOSIn) (scaffoldOut, error) {
	families, err := chosen[scaffold.Family]("targetedDeviceFamily", in.Families, scaffold.FamilyWords())
	if err != nil {
		return scaffoldOut{}, err
	}
	phone, err := chosen[scaffold.Orientation]("supportedOrientations", in.Orientations, scaffold.OrientationWords())
	if err != nil {
		return scaffoldOut{}, err
	}
	pad, err := chosen[scaffold.Orientation]("supportedOrientationsIpad", in.PadOrientations, scaffold.OrientationWords())
	if err != nil {
		return scaffoldOut{}, err
	}
	o := in.options(in.Deployment)
	if in.Customize {
		o.Families, o.Orientations, o.PadOrientations = families, phone, pad
	}
	return v.write(in.Out, scaffold.IOS, o, func(w scaffold.Written) []string {
		return []string{
			nextCall(buildRunSim, "workspacePath", w.Workspace, "scheme", w.Scheme, "simulatorName", "iPhone 16"),
			nextCall(buildSim, "workspacePath", w.Workspace, "scheme", w.Scheme, "simulatorName", "iPhone 16"),
		}
	})
}

func (v views) scaffoldMac(_ context.Context, _ *op.Call, in scaffoldMacIn) (scaffoldOut, error) {
	return v.write(in.Out, scaffold.MacOS, in.options(in.Deployment), func(w scaffold.Written) []string {
		return []string{
			nextCall(buildRunMacOS, "workspacePath", w.Workspace, "scheme", w.Scheme),
			nextCall(buildMacOS, "workspacePath", w.Workspace, "scheme", w.Scheme),
		}
	})
}

// chosen checks a list of words against the known words.
func chosen[T ~string](field string, given, known []string) ([]T, error) {
	var all []T
	for _, word := range given {
		if !slices.Contains(known, word) {
			f := fault.New(fault.InvalidInput, "%s: %q must be one of %s", field, word, strings.Join(known, ", ")).With("field", field)
			if near := nearest.To(word, known, 1); len(near) > 0 {
				return nil, f.WithHint("did you mean %q?", near[0])
			}
			return nil, f
		}
		all = append(all, T(word))
	}
	return all, nil
}

func (v views) write(dir op.Path, on scaffold.Platform, o scaffold.Options, next func(scaffold.Written) []string) (scaffoldOut, error) {
	w, err := v.core.Projects.Scaffold(dir, on, o)
	if errors.Is(err, scaffold.ErrExists) {
		return scaffoldOut{}, fault.New(fault.PathError, "%w", err).With("field", "outputPath").
			WithHint("choose another folder or another name")
	}
	if err != nil {
		return scaffoldOut{}, fault.New(fault.PathError, "cannot write the project: %w", err).With("field", "outputPath")
	}
	return scaffoldOut{
		Message: fmt.Sprintf("wrote the %s project %s: %d files in %s; open %s", on, w.Scheme, len(w.Files), w.Dir, w.Workspace),
		Path:    w.Dir, Platform: string(on), Workspace: w.Workspace, Scheme: w.Scheme, Files: w.Files,
		NextSteps: append([]string{nextCall(setDefaults, "workspacePath", w.Workspace, "scheme", w.Scheme)}, next(w)...),
	}, nil
}
