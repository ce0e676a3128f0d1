package swiftcheck

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFormFindsErrors(t *testing.T) {
	for source, want := range map[string]string{
		"struct A {\n    func b() {\n    }\n": "3:6 error: expected '}' at end of brace statement",
		"let a = f(1, [2)\n":                  "1:16 error: expected ']' in container literal expression",
		"func a() { b( }\n":                   "1:15 error: expected ')' in expression list",
		"func a() {}\n}\n":                    "2:1 error: extraneous '}' at top level",
		"let a = \"one\nlet b = 2\n":          "1:9 error: unterminated string literal",
		"let a = \"\"\"\n  one\n":             "1:9 error: unterminated string literal",
		"let a = #\"one\"\n":                  "1:9 error: unterminated string literal",
		"let a = \"\\(b(1)\n":                 "1:9 error: unterminated string literal",
		"let a = 1 /* one /* two */\n":        "1:11 error: unterminated '/*' comment",
		"#if DEBUG\nlet a = 1\n":              "2:10 error: expected #else or #endif at end of conditional compilation block",
		"let a = 1\n#endif\n":                 "2:1 error: unexpected conditional compilation block terminator",
		"#if DEBUG\nfunc a() {\n#endif\n":     "3:1 error: expected '}' at end of brace statement",
		"let a = 1\n<<<<<<< HEAD\nlet b = 1\n=======\n>>>>>>> other\n": "2:2 error: source control conflict marker in source file",
		"syntax {{{\n": "1:11 error: expected '}' at end of brace statement",
	} {
		found := Form("a.swift", source)
		if len(found) == 0 {
			t.Errorf("%q: got no error, want %s", source, want)
			continue
		}
		if got := found[0].String(); got != "a.swift:"+strings.Replace(want, " ", ": ", 1) {
			t.Errorf("%q: got %s, want a.swift:%s", source, got, want)
		}
	}
}

func TestFormAcceptsWhatMayBeValid(t *testing.T) {
	for _, source := range []string{
		"", "\ufeffimport UIKit\n", "#!/usr/bin/env swift\nprint(\"it's\")\n",
		`let a = "one \(two("three \(four) \" }")) five"`,
		"let a = #\"one \" \\( \\#(two(#\"\"#))\"#", `let a = #"""#`, "let a = ##\"\"\"\n \"\"\"# \"\"\"\n \"\"\"##",
		"let a = \"\"\"\n  { \"one\" \\(\"\"\"\n  two\n  \"\"\") \\\"\"\"\n  \"\"\"",
		"/* one /* } */ ( */ let a = 1 // {", "let a = [1, 2].map { $0 / 2 } // ) \n", "let `a(b` = 1",
		"let a = /[({]\"/ ; let b = #/ ( /# ; let c = try Regex(#\"(\"#)", "let a = #/\n  ( \" # one\n/#",
		"let a = b / c(d) / e", "send(/A.b), send(/C.d)", "let a = x! / y(\"/\")", "infix operator </> ; let a = b </> c",
		"#if compiler(>=6)\nfunc a() { \"\n#else\n} ) \n#endif\n", "#if DEBUG\nfunc a() {}\n#elseif os(iOS)\nlet b = [1]\n#else\n#endif\n",
		"#Preview { A() }\n#warning(\"later (\")\nlet k = #keyPath(A.b)\nlet f = #file\n", "let a = <#T##String#>\n",
		"let a = \"\\(b ? \"}\" : \"{\")\"", "f(a, /* ) */ b)", "let a = \"\\(b,\n  c)\"",
		"let a = " + strings.Repeat(`"\(`, 2*mostNested),
	} {
		if found := Form("a.swift", source); len(found) > 0 {
			t.Errorf("%q: got %v, want nothing", source, found)
		}
	}
}

// TestFormAcceptsValidSources reads all Swift files of this project, and of the folder in IOS_AGENT_SWIFT_SOURCES: compilers accept them.
func TestFormAcceptsValidSources(t *testing.T) {
	files := swiftFiles(t, filepath.Join("..", "..", ".."))
	if root := os.Getenv("IOS_AGENT_SWIFT_SOURCES"); root != "" {
		files = append(files, swiftFiles(t, root)...)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if found := Form(path, string(data)); len(found) > 0 {
			t.Errorf("got %v, want nothing", found)
		}
	}
	if t.Logf("%d files", len(files)); len(files) < 100 {
		t.Errorf("read %d files, want at least 100", len(files))
	}
}

// swiftFiles are the Swift files below a folder, without those of tutorials, which are parts of files.
func swiftFiles(t *testing.T, root string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err == nil && d.IsDir() && (d.Name() == ".git" || d.Name() == ".build" || filepath.Ext(path) == ".docc"):
			return fs.SkipDir
		case err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".swift":
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func FuzzForm(f *testing.F) {
	for _, seed := range []string{"a(\"\\(b[#\"\\#(c)\"#])\")", "#if x\n{\n#else\n/*/**/*/\n#endif", "\"\"\"\n\\(/a/)\"\"\"", "#/\n/#`<#a#>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, i := range Form("x.swift", text) {
			if i.Line < 1 || i.Column < 1 || i.Line > strings.Count(text, "\n")+1 || i.Message == "" {
				t.Errorf("%q: got %+v, want a place in the text", text, i)
			}
		}
	})
}

// TestLongFilesAreReadOnce: no form makes the time grow with the square of the size. A quadratic reader needs hours for these.
func TestLongFilesAreReadOnce(t *testing.T) {
	for _, part := range []string{"#/ ", "<#", "\n<<<<<<< ", "#\"\"\"", "=/", "(", "#if swift\n(\"\n", "\"\\(", "`", "/*", "##\"", "#else\n"} {
		Form("a.swift", strings.Repeat(part, maxSource/len(part)))
	}
	Form("a.swift", strings.Repeat("#", maxSource/2)+strings.Repeat(`"`, maxSource/2))
}
