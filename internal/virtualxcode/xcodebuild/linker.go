package xcodebuild

import (
	"fmt"
	"path/filepath"
	"strings"
)

// runLinker prints the link step and its errors.
func (l stepLog) runLinker(in inputs) (failed failedBuild) {
	binary := escapePath(l.b.executable())
	head := fmt.Sprintf("Ld %s normal %s", binary, l.where())
	l.s.say("%s\n    cd %s\n    %s/usr/bin/clang -Xlinker -reproducible -target %s -isysroot %s -filelist %s -o %s\n", head,
		escapePath(l.b.project.Dir), toolchain, l.triple(), l.b.settings["SDK_DIR"],
		l.temp(l.b.settings["PRODUCT_NAME"]+".LinkFileList"), binary)
	text := linkerText(in)
	if text != "" {
		fmt.Fprintf(l.s.Stdout, "%sclang: error: linker command failed with exit code 1 (use -v to see invocation)\n", text)
		failed.add([]string{head}, "Linker command failed with exit code 1 (use -v to see invocation)")
		for _, t := range in.about("undefined") {
			l.s.keep(l.b, []issue{{severity: "error", kind: "Uncategorized", message: "Undefined symbol: " + t.text}})
		}
		for _, t := range in.about("link") {
			l.s.keep(l.b, []issue{{severity: "error", kind: "Uncategorized", message: t.text}})
		}
		l.s.keep(l.b, []issue{{severity: "error", kind: "Uncategorized", message: failed.first}})
	}
	l.s.say("\n")
	return failed
}

// linkerText is the linker's error message, or "".
func linkerText(in inputs) string {
	var t strings.Builder
	if len(in.about("undefined")) > 0 {
		t.WriteString("Undefined symbols for architecture arm64:\n")
		for _, src := range in.sources {
			for _, u := range src.about("undefined") {
				object := strings.TrimSuffix(filepath.Base(src.path), ".swift") + ".o"
				from := object
				if u.function != "" {
					from = u.function + " in " + object
				}
				fmt.Fprintf(&t, "  \"%s\", referenced from:\n      %s\n", u.text, from)
			}
		}
		t.WriteString("ld: symbol(s) not found for architecture arm64\n")
	}
	for _, other := range in.about("link") {
		fmt.Fprintf(&t, "ld: %s\n", other.text)
	}
	return t.String()
}
