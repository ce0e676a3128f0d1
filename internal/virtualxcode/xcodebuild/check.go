package xcodebuild

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/swiftcheck"
)

// checked is what was checked in the sources of a build.
type checked struct {
	files, syntax, types int
	untyped, because     []string // the files without a check of types, and the reasons
	notUsable            string   // why the compiler was not used
}

// needed are the modules of the build that a target can import.
func (s *session) needed(b buildable) (all []string) {
	for _, name := range b.needs() {
		if other, ok := s.buildable(name); ok {
			all = append(all, other.settings["PRODUCT_MODULE_NAME"])
		}
	}
	return all
}

// compiledModules is the folder of the modules for the modules that import them.
func (s *session) compiledModules() string {
	return filepath.Join(s.buildRoot(), "Build/Intermediates.noindex/VirtualSwift", s.conf()+s.destination.suffix())
}

// checkSources checks the Swift files to compile and adds the errors to them. Where a comment gives an error, it hides ours.
func (s *session) checkSources(ctx context.Context, b buildable, in *inputs) error {
	m := swiftcheck.Module{Name: b.settings["PRODUCT_MODULE_NAME"], Dir: s.compiledModules(), Needs: s.needed(b),
		Conditions: strings.Fields(b.settings["SWIFT_ACTIVE_COMPILATION_CONDITIONS"])}
	for _, src := range in.sources {
		if src.missing {
			continue
		}
		m.Files = append(m.Files, src.path)
		if in.fresh[src.path] {
			m.Fresh = append(m.Fresh, src.path)
		}
	}
	if len(m.Fresh) > 0 {
		result, err := s.Swift.Check(ctx, m)
		if err != nil {
			return err
		}
		in.add(result.Issues)
		result.Issues = nil
		data, err := json.Marshal(result)
		if err != nil {
			return err
		}
		in.checked = string(data)
	}
	return s.count(b, *in)
}

// add gives the issues to their files. A file with an error is compiled, even if another file has caused it.
func (in *inputs) add(issues []swiftcheck.Issue) {
	hidden := false
	for _, i := range issues {
		at := slices.IndexFunc(in.sources, func(src source) bool { return src.path == i.File })
		if i.Severity == "error" {
			hidden = at >= 0 && slices.ContainsFunc(in.sources[at].issues, func(o issue) bool {
				return o.severity == i.Severity && o.line == i.Line
			})
		}
		if at < 0 || hidden {
			continue
		}
		src := &in.sources[at]
		src.issues = append(src.issues, issue{severity: i.Severity, message: i.Message, path: i.File, text: i.Text, line: i.Line,
			column: i.Column, width: 1})
		in.fresh[i.File] = true
	}
}

// count adds a target to what was checked. An unchanged target was checked in an earlier build.
func (s *session) count(b buildable, in inputs) error {
	var r swiftcheck.Result
	if in.checked != "" {
		if err := json.Unmarshal([]byte(in.checked), &r); err != nil {
			return err
		}
	}
	c := &s.checked
	c.files += len(in.sources)
	if r.Syntax {
		c.syntax += len(in.sources)
	}
	c.types += len(r.Types)
	if r.NotUsable != "" {
		c.notUsable = r.NotUsable
	}
	for _, file := range r.Untyped {
		c.untyped = append(c.untyped, filepath.Base(file))
	}
	if len(r.Untyped) > 0 && !slices.Contains(c.because, r.Because) {
		c.because = append(c.because, r.Because)
	}
	return nil
}

// mostNamed is the maximum number of names in a line about what was checked.
const mostNamed = 40

// sayChecked prints how much of the sources was checked. Apple's tool compiles everything and prints nothing like it.
func (s *session) sayChecked() {
	c := s.checked
	switch {
	case c.files == 0:
		return
	case c.syntax < c.files:
		why := "no swiftc on the PATH"
		if c.notUsable != "" {
			why = "swiftc does not work: " + c.notUsable
		}
		s.say("note: virtual: form of %s (brackets, strings, comments, #if); syntax and types not checked: %s\n", plural(c.files, "file"), why)
	case len(c.untyped) == 0:
		s.say("note: virtual: syntax and types of %s\n", plural(c.files, "file"))
	default:
		names := c.untyped[:min(len(c.untyped), mostNamed)]
		more := ""
		if left := len(c.untyped) - len(names); left > 0 {
			more = fmt.Sprintf(" and %d more", left)
		}
		s.say("note: virtual: syntax of %s, types of %d; types not checked (%s): %s%s\n", plural(c.files, "file"), c.types,
			strings.Join(c.because, ", "), strings.Join(names, ", "), more)
	}
}

// sayOutside names the test targets that test what the scheme builds, and that it does not test.
func (s *session) sayOutside() {
	built := s.targets(false)
	builds := func(name string) bool {
		return slices.ContainsFunc(built, func(b buildable) bool { return b.target.Name == name })
	}
	var outside []string
	for _, p := range s.container.Projects {
		for _, t := range p.Targets {
			if t.Kind.Tests() && !slices.Contains(s.scheme.Tests, t.Name) && slices.ContainsFunc(t.Dependencies, builds) {
				outside = append(outside, t.Name)
			}
		}
	}
	if len(outside) > 0 {
		s.say("note: virtual: test targets outside the scheme %s: %s\n", s.scheme.Name, strings.Join(outside, ", "))
	}
}
