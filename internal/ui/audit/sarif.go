package audit

import (
	"encoding/json"

	"ios-agent/internal/ui"
)

// The parts of SARIF 2.1.0 that SARIF writes.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool      `json:"tool"`
		Automation sarifID        `json:"automationDetails"`
		Results    []sarifResult  `json:"results"`
		Properties map[string]any `json:"properties"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID     string      `json:"id"`
		Short  sarifText   `json:"shortDescription"`
		Full   sarifText   `json:"fullDescription"`
		Config sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level Severity `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule         string            `json:"ruleId"`
		Index        int               `json:"ruleIndex"`
		Level        Severity          `json:"level,omitempty"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Baseline     string            `json:"baselineState,omitempty"`
		Properties   map[string]any    `json:"properties,omitempty"`
	}
	sarifLocation struct {
		Logical []sarifLogical `json:"logicalLocations"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Full string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	// fingerprintName names the fingerprint's method; another method needs another name.
	fingerprintName = "iosAgentFinding/v1"
)

// SARIF is the report as SARIF 2.1.0. An element has no file and no line, so it is a logical location: app, screen and element. Text of the
// app is quoted in messages. The version is the product's; the toolchain is the device's, or empty.
func (r Report) SARIF(version, toolchain string) ([]byte, error) {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: "ios-agent audit", Version: version, Rules: []sarifRule{}}}, Automation: sarifID{"ios-agent/audit"},
		Results: []sarifResult{}, Properties: map[string]any{"score": r.Score},
	}
	if toolchain != "" {
		run.Properties["toolchain"] = toolchain
	}
	index := map[string]int{}
	for i, rule := range Rules() {
		index[rule.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules,
			sarifRule{rule.ID, sarifText{rule.Title + "."}, sarifText{rule.Why}, sarifConfig{rule.Usual}})
	}
	place := func(app, screen, element, kind string) []sarifLocation {
		return []sarifLocation{{[]sarifLogical{{element, app + "/" + screen + "/" + element, kind}}}}
	}
	for _, s := range r.Screens {
		for _, f := range s.Findings {
			one := sarifResult{
				Rule: f.Rule, Index: index[f.Rule], Level: f.Severity, Message: sarifText{f.Message + ". Fix: " + f.Fix.Say + "."},
				Locations:    place(ui.Inline(s.App), ui.Inline(s.Title), ui.Inline(f.element()), f.Type),
				Fingerprints: map[string]string{fingerprintName: f.Fingerprint},
				Properties:   map[string]any{"frame": f.Frame, "fix": f.Fix},
				Baseline:     map[State]string{New: "new", Known: "unchanged"}[f.State],
			}
			if f.Ref != "" {
				one.Properties["ref"] = f.Ref
			}
			run.Results = append(run.Results, one)
		}
	}
	for _, e := range r.absent {
		at, known := index[e.Rule]
		if !known {
			continue // of a removed rule
		}
		run.Results = append(run.Results, sarifResult{
			Rule: e.Rule, Index: at, Level: "none", Message: sarifText{ui.Inline(e.Element) + " no longer has it."},
			Locations:    place(ui.Inline(e.App), ui.Inline(e.Screen), ui.Inline(e.Element), "element"),
			Fingerprints: map[string]string{fingerprintName: e.Fingerprint}, Baseline: "absent",
		})
	}
	text, err := json.MarshalIndent(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}}, "", "  ")
	return append(text, '\n'), err
}
