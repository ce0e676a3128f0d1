package project

import (
	"encoding/xml"
	"fmt"
)

// buildable is a BuildableReference.
type buildable struct {
	Name string `xml:"BlueprintName,attr"`
}

// schemeFile has the relevant parts of an .xcscheme.
type schemeFile struct {
	Build []struct {
		Reference buildable `xml:"BuildableReference"`
	} `xml:"BuildAction>BuildActionEntries>BuildActionEntry"`
	Test struct {
		Configuration string `xml:"buildConfiguration,attr"`
		Testables     []struct {
			Skipped   string    `xml:"skipped,attr"`
			Reference buildable `xml:"BuildableReference"`
		} `xml:"Testables>TestableReference"`
		Plans []struct {
			Reference string `xml:"reference,attr"`
		} `xml:"TestPlans>TestPlanReference"`
	} `xml:"TestAction"`
	Launch struct {
		Configuration string    `xml:"buildConfiguration,attr"`
		Runnable      buildable `xml:"BuildableProductRunnable>BuildableReference"`
	} `xml:"LaunchAction"`
	Archive struct {
		Configuration string `xml:"buildConfiguration,attr"`
	} `xml:"ArchiveAction"`
}

// ParseScheme reads an .xcscheme; the scheme has the name of the file.
func ParseScheme(name string, data []byte) (Scheme, error) {
	var f schemeFile
	if err := xml.Unmarshal(data, &f); err != nil {
		return Scheme{}, fmt.Errorf("scheme %s: %w", name, err)
	}
	s := Scheme{Name: name, Run: f.Launch.Runnable.Name, Configurations: map[string]string{
		"TestAction": f.Test.Configuration, "LaunchAction": f.Launch.Configuration, "ArchiveAction": f.Archive.Configuration,
	}}
	for _, entry := range f.Build {
		s.Build = append(s.Build, entry.Reference.Name)
	}
	for _, t := range f.Test.Testables {
		s.Tests = append(s.Tests, t.Reference.Name)
		if t.Skipped == "YES" {
			s.Skipped = append(s.Skipped, t.Reference.Name)
		}
	}
	for _, plan := range f.Test.Plans {
		s.Plans = append(s.Plans, plan.Reference)
	}
	return s, nil
}
