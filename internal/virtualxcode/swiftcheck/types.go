package swiftcheck

import (
	"context"
	"os"
	"path/filepath"
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
	args := slices.Concat([]string{"-emit-module", "-module-name", m.Name, "-o", product, "-I", m.Dir,
		"-enable-testing"}, slashes, library)
	for _, name := range m.Conditions {
		args = append(args, "-D", name)
	}
	found, err := c.run(ctx, append(args, m.Files...))
	if err != nil {
		return err
	}
	var unsure []string
	r.Issues, unsure = sift(found, sureOf(whole.String(), withFoundation))
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
// availability. They can cause any other error of the module.
var missing = []string{"Objective-C", "@objc", "@NSManaged", "#selector", "#keyPath", "macro", "no such module", "unavailable",
	"available in", "available on", "plugin", "compiled module", "bridging header", "IBAction", "IBOutlet"}

// Errors about the caller's own code, or about types of the standard library.
var (
	unknownName   = lazyregexp.New(`^cannot find (?:type )?'(\w+)' in scope`)
	unknownMember = lazyregexp.New(`^value of type '(\w+)' has no member '\w+'`)
	plainTypes    = lazyregexp.New(`^cannot convert (?:return expression|value) of type '(?:Int|String|Double|Bool|Float)' to ` +
		`(?:return|specified) type '(?:Int|String|Double|Bool|Float)'$`)
	ownCode = lazyregexp.New(`^missing return in |^invalid redeclaration of |^cannot assign to value: '.*' is a 'let' constant$`)

	declaration = lazyregexp.New(`\b(?:let|var|func|case|class|struct|enum|actor|protocol|typealias)\s+(\w+)|(\w+)\s*:`)
	plainType   = lazyregexp.New(`\b(?:struct|enum)\s+(\w+)|\bclass\s+(\w+)\s*\{`)
)

// own are the names that a module declares.
type own struct{ names, types map[string]bool }

// namesIn reads declarations. A type with members of a superclass is not in types.
func namesIn(module string) own {
	o := own{map[string]bool{}, map[string]bool{}}
	for _, m := range declaration.FindAllStringSubmatch(module, -1) {
		o.names[m[1]+m[2]] = true
	}
	for _, m := range plainType.FindAllStringSubmatch(module, -1) {
		o.types[m[1]+m[2]] = true
	}
	return o
}

// sure reports whether an error does not depend on Foundation, which differs between platforms.
func (o own) sure(message string) bool {
	if m := unknownName.FindStringSubmatch(message); m != nil {
		for name := range o.names {
			if slip(m[1], name) {
				return true
			}
		}
		return false
	}
	if m := unknownMember.FindStringSubmatch(message); m != nil {
		return o.types[m[1]]
	}
	return plainTypes.MatchString(message) || ownCode.MatchString(message)
}

// slip reports whether a word of four letters or more is a name with one letter more, one less or a different one.
func slip(word, name string) bool {
	if len(word) < len(name) {
		word, name = name, word
	}
	if len(name) < 4 || len(word)-len(name) > 1 {
		return false
	}
	same := 0
	for same < len(name) && word[same] == name[same] {
		same++
	}
	if len(word) == len(name) {
		return same < len(name) && word[same+1:] == name[same+1:]
	}
	return word[same+1:] == name[same:]
}

// sureOf is the test of errors in a module. Without Foundation all errors are sure that sift does not find missing things in.
func sureOf(module string, withFoundation bool) func(message string) bool {
	if !withFoundation {
		return func(string) bool { return true }
	}
	return namesIn(module).sure
}

// sift keeps the errors that do not come from something missing, with their notes, and names the files of the others.
func sift(found []Issue, sure func(message string) bool) (kept []Issue, unsure []string) {
	spoilt := slices.ContainsFunc(found, func(i Issue) bool {
		return isError(i) && slices.ContainsFunc(missing, func(text string) bool { return strings.Contains(i.Message, text) })
	})
	keep := false
	for _, i := range found {
		if isError(i) {
			keep = !spoilt && sure(i.Message)
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
