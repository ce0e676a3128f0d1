package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Baseline is the set of known findings, which do not fail an audit. The file is made for review: sorted, one entry a finding, without refs
// and places.
type Baseline struct {
	Version  int     `json:"version"`
	Findings []Entry `json:"findings"`
}

// Entry is a known finding. Only the fingerprint is compared; the other fields are for readers.
type Entry struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	App         string `json:"app"`
	Screen      string `json:"screen"`
	Element     string `json:"element"`
}

// baselineVersion is the only supported version.
const baselineVersion = 1

// ReadBaseline reads the output of Encode.
func ReadBaseline(text []byte) (b Baseline, err error) {
	if err := json.Unmarshal(text, &b); err != nil {
		return b, err
	}
	if b.Version != baselineVersion {
		return b, fmt.Errorf("its version is %d, not %d", b.Version, baselineVersion)
	}
	return b, nil
}

// Encode is the baseline as a file.
func (b Baseline) Encode() ([]byte, error) {
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// Baseline is the baseline for later calls: all findings of the report, and the earlier baseline's findings on screens that the report did
// not visit.
func (r Report) Baseline(earlier Baseline) Baseline {
	b := Baseline{Version: baselineVersion, Findings: []Entry{}}
	has := map[string]bool{}
	add := func(e Entry) {
		if !has[e.Fingerprint] {
			has[e.Fingerprint] = true
			b.Findings = append(b.Findings, e)
		}
	}
	for _, s := range r.Screens {
		for _, f := range s.Findings {
			add(Entry{f.Fingerprint, f.Rule, s.App, general(s.Title), f.element()})
		}
	}
	for _, e := range earlier.Findings {
		if !r.saw(e) {
			add(e)
		}
	}
	slices.SortFunc(b.Findings, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.Screen, b.Screen), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Element, b.Element),
			cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	return b
}

// element names the element of a finding for people.
func (f Finding) element() string {
	if f.Identifier != "" {
		return f.Type + " " + f.Identifier
	}
	return f.Type + " " + general(f.Label)
}

// saw reports whether the report covers the screen of an entry.
func (r Report) saw(e Entry) bool {
	return slices.ContainsFunc(r.Screens, func(s Screen) bool { return s.App == e.App && general(s.Title) == e.Screen })
}

// Against marks the findings in a baseline. They do not lower the scores and are not new.
func (r *Report) Against(b Baseline) {
	known, found := map[string]bool{}, map[string]bool{}
	for _, e := range b.Findings {
		known[e.Fingerprint] = true
	}
	for i := range r.Screens {
		s := &r.Screens[i]
		for k := range s.all {
			f := &s.all[k]
			f.State = New
			if known[f.Fingerprint] {
				f.State = Known
			}
		}
		for k := range s.Findings {
			f := &s.Findings[k]
			f.State = New
			if found[f.Fingerprint] = true; known[f.Fingerprint] {
				f.State = Known
			}
		}
		s.rate()
	}
	for _, e := range b.Findings {
		if !found[e.Fingerprint] && r.saw(e) {
			r.absent = append(r.absent, e)
		}
	}
	r.baseline = true
	r.sum()
}
