package swiftcheck

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/text/lazyregexp"
)

var (
	importLine = lazyregexp.New(`^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+` +
		`(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?([A-Za-z_]\w*)`)
	platformIf = lazyregexp.New(`^\s*#(?:if|elseif)\b.*\b(?:os|canImport|targetEnvironment|arch|_runtime|_endian|_ptrauth)\b`)
)

// alwaysThere are modules that are the same on every platform.
var alwaysThere = []string{"Swift", "_Concurrency", "_StringProcessing"}

const foundation = "Foundation"

// types checks the types of a module, if it needs no framework that is missing here. It leaves the compiled module for the modules that
// import it.
func (c Checker) types(ctx context.Context, m Module, r *Result, slashes []string) error {
	product := filepath.Join(m.Dir, m.Name+".swiftmodule")
	os.Remove(product) // a module of an earlier build would be used otherwise
	withFoundation := false
	var whole strings.Builder
	library := []string{"-parse-as-library"}
	for _, file := range m.Files {
		data, err := regularfile.Read(file, maxSource)
		if err != nil {
			r.Because = filepath.Base(file)
			return nil
		}
		whole.Write(data)
		imports, platform := needsOf(string(data))
		for _, name := range imports {
			built := slices.Contains(m.Needs, name) && isFile(filepath.Join(m.Dir, name+".swiftmodule"))
			withFoundation = withFoundation || built || name == foundation
			if !built && name != foundation && !slices.Contains(alwaysThere, name) {
				r.Because = name
				return nil
			}
		}
		if platform {
			r.Because = "#if of a platform"
			return nil
		}
		if filepath.Base(file) == "main.swift" {
			library = nil
		}
	}
	if len(m.Files) > mostFiles {
		r.Because = "more than 500 files"
		return nil
	}
	if err := os.MkdirAll(m.Dir, 0o755); err != nil {
		return &unusable{err.Error()}
	}
	args := slices.Concat([]string{"-emit-module", "-module-name", m.Name, "-o", product, "-I", m.Dir, "-enable-testing",
		"-module-cache-path", filepath.Join(m.Dir, "cache")}, slashes, library)
	for _, name := range m.Conditions {
		args = append(args, "-D", name)
	}
	found, err := c.run(ctx, append(args, m.Files...))
	if err != nil {
		return err
	}
	var unsure []string
	r.Issues, unsure = sift(found, func(message string) bool { return !withFoundation || sure(message, whole.String()) })
	r.Types, r.Untyped, r.Because = nil, nil, "what this machine's Foundation lacks"
	for _, file := range m.Files {
		if slices.Contains(unsure, file) {
			r.Untyped = append(r.Untyped, file)
		} else {
			r.Types = append(r.Types, file)
		}
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// needsOf are the modules that a file imports, and whether parts of it are for some platforms only.
func needsOf(text string) (imports []string, platform bool) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, "import") {
			if m := importLine.FindStringSubmatch(line); m != nil {
				imports = append(imports, m[1])
			}
		}
		platform = platform || strings.Contains(line, "#") && platformIf.MatchString(line)
	}
	return imports, platform
}

// missing are texts of errors that a compiler for another platform can give for valid files: about Objective-C, macros, modules and
// availability.
var missing = []string{"Objective-C", "@objc", "@NSManaged", "#selector", "#keyPath", "macro", "no such module", "unavailable", "available in",
	"available on", "plugin", "compiled module", "bridging header", "IBAction", "IBOutlet"}

var (
	suggestion = lazyregexp.New(`; did you mean '(\w+)'\?$`)
	plainTypes = lazyregexp.New(`^cannot convert (?:return expression|value) of type '(?:Int|String|Double|Bool|Float)' to ` +
		`(?:return|specified) type '(?:Int|String|Double|Bool|Float)'$`)
	ownCode = lazyregexp.New(`^missing return in |^invalid redeclaration of |^cannot assign to value: '.*' is a 'let' constant$`)
)

// sure reports whether an error is about the caller's own names, or about types of the standard library: Foundation differs between
// platforms, and changes neither.
func sure(message, module string) bool {
	if m := suggestion.FindStringSubmatch(message); m != nil {
		return regexp.MustCompile(`\b(?:let|var|func|case|class|struct|enum|actor|protocol|typealias)\s+` + m[1] + `\b|\b` + m[1] +
			`\s*:[^:]`).MatchString(module)
	}
	return plainTypes.MatchString(message) || ownCode.MatchString(message)
}

// sift keeps the errors that do not come from something missing, with their notes, and names the files of the others.
func sift(found []Issue, sure func(message string) bool) (kept []Issue, unsure []string) {
	keep := false
	for _, i := range found {
		if i.Severity == "error" {
			keep = sure(i.Message) && !slices.ContainsFunc(missing, func(text string) bool { return strings.Contains(i.Message, text) })
			if !keep && !slices.Contains(unsure, i.File) {
				unsure = append(unsure, i.File)
			}
		}
		if keep {
			kept = append(kept, i)
		}
	}
	return kept, unsure
}
