// Package schemes reads the output of `xcodebuild -list` about a project or workspace, as text and as JSON. Read returns a List. The
// package does not run xcodebuild: its callers do.
package schemes

import (
	"errors"
	"fmt"
	"strings"

	"ios-agent/internal/apple/jsondoc"
	"ios-agent/internal/apple/lines"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/lazyregexp"
)

// List is the content of the output. A workspace has only schemes.
type List struct {
	Kind                 string        `json:"kind"` // project, workspace or package
	Name                 string        `json:"name,omitempty"`
	Schemes              []string      `json:"schemes,omitempty"`
	Targets              []string      `json:"targets,omitempty"`
	Configurations       []string      `json:"configurations,omitempty"`
	DefaultConfiguration string        `json:"defaultConfiguration,omitempty"`
	Remarks              []string      `json:"remarks,omitempty"` // lines that belong to no list
	Extra                jsondoc.Extra `json:"extra,omitempty"`
}

var (
	about     = lazyregexp.New(`^Information about (project|workspace|package) "(.*)":$`)
	section   = lazyregexp.New(`^\s+(Targets|Build Configurations|Schemes):$`)
	noDefault = lazyregexp.New(`^\s+If no build configuration is specified and -scheme is not passed then "(.*)" is used\.$`)
)

// Read reads either form.
func Read(data []byte) (*List, error) {
	if body := jsondoc.Body(data); body != nil && body[0] == '{' {
		return readJSON(data)
	}
	return readText(data)
}

type document struct {
	Project   *listed       `json:"project,omitempty"`
	Workspace *listed       `json:"workspace,omitempty"`
	Package   *listed       `json:"package,omitempty"`
	Extra     jsondoc.Extra `json:"-"`
}

type listed struct {
	Name           string        `json:"name,omitempty"`
	Schemes        []string      `json:"schemes,omitempty"`
	Targets        []string      `json:"targets,omitempty"`
	Configurations []string      `json:"configurations,omitempty"`
	Extra          jsondoc.Extra `json:"-"`
}

func readJSON(data []byte) (*List, error) {
	var d document
	if err := jsondoc.Decode(data, &d); err != nil {
		return nil, fmt.Errorf("schemes: %w", err)
	}
	for _, k := range []struct {
		kind string
		is   *listed
	}{{"project", d.Project}, {"workspace", d.Workspace}, {"package", d.Package}} {
		if k.is != nil {
			return &List{Kind: k.kind, Name: k.is.Name, Schemes: k.is.Schemes, Targets: k.is.Targets,
				Configurations: k.is.Configurations, Extra: k.is.Extra}, nil
		}
	}
	return nil, errors.New("schemes: neither a project nor a workspace")
}

func readText(data []byte) (*List, error) {
	l := &List{}
	var to *[]string
	for _, line := range lines.All(data) {
		s := strings.TrimSpace(line)
		switch {
		case s == "":
			to = nil
		case about.MatchString(line):
			m := about.FindStringSubmatch(line)
			l.Kind, l.Name = m[1], m[2]
		case section.MatchString(line):
			to = map[string]*[]string{"Targets": &l.Targets, "Build Configurations": &l.Configurations,
				"Schemes": &l.Schemes}[section.FindStringSubmatch(line)[1]]
		case noDefault.MatchString(line):
			l.DefaultConfiguration = noDefault.FindStringSubmatch(line)[1]
		case to != nil && (line[0] == ' ' || line[0] == '\t'):
			*to = append(*to, s)
		default:
			l.Remarks = append(l.Remarks, s)
		}
	}
	if l.Kind == "" {
		return nil, errors.New("schemes: no project or workspace in the text")
	}
	return l, nil
}

// Sniff returns a percentage for the text being the answer of -list.
func Sniff(b []byte) int {
	o := jsondoc.Look(b)
	if o.Kind == '{' {
		for _, k := range []string{"project", "workspace", "package"} {
			if o.Sub[k+"/schemes"] == "array" || o.Sub[k+"/targets"] == "array" {
				return 98
			}
		}
		return 0
	}
	for _, line := range lines.All(b[:min(len(b), 1<<16)]) {
		if about.MatchString(line) {
			return 98
		}
	}
	return 0
}

// Text is the list in at most limit bytes.
func (l *List) Text(limit int) string {
	w := brief.New(limit)
	w.Linef("%s %s: %s, %s, %s", l.Kind, l.Name, brief.Count(len(l.Schemes), "scheme"), brief.Count(len(l.Targets), "target"),
		brief.Count(len(l.Configurations), "configuration"))
	w.List("schemes", len(l.Schemes), func(i int) []string { return []string{"scheme " + l.Schemes[i]} })
	w.List("targets", len(l.Targets), func(i int) []string { return []string{"target " + l.Targets[i]} })
	w.List("configurations", len(l.Configurations), func(i int) []string { return []string{"configuration " + l.Configurations[i]} })
	return w.String()
}
