package xcresult

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Xccov is xccov, played by this process.
type Xccov struct {
	Stdout, Stderr io.Writer
	Dir            string // what relative paths start from; empty is the process's own
}

// view is the options of xccov view.
type view struct {
	report, json, archive, fileList, onlyTargets bool
	file, filesFor                               string
	paths                                        []string
}

const viewUsage = "Usage: xccov view [--report | --archive] [--only-targets] [--files-for-target <target>] [--file-list | --file <file>] [--json] <path>\n"

// Run plays one command line.
func (x Xccov) Run(argv []string) int {
	if len(argv) == 0 || argv[0] != "view" {
		fmt.Fprint(x.Stderr, viewUsage)
		return exitUsage
	}
	v, ok := parseView(argv[1:])
	if !ok || len(v.paths) != 1 {
		fmt.Fprint(x.Stderr, viewUsage)
		return exitUsage
	}
	path := v.paths[0]
	if !filepath.IsAbs(path) {
		path = filepath.Join(x.Dir, path)
	}
	b, err := Read(path)
	switch {
	case err != nil:
		fmt.Fprintf(x.Stderr, "Error: Error Domain=XCCovErrorDomain Code=0 \"Failed to load result bundle\" UserInfo={NSLocalizedDescription=Failed to load result bundle, NSUnderlyingError=%v}\n", err)
		return 1
	case !b.HasCoverage:
		fmt.Fprintln(x.Stderr, "Error: Error Domain=XCCovErrorDomain Code=0 \"No coverage data in result bundle\" UserInfo={NSLocalizedDescription=No coverage data in result bundle}")
		return 1
	}
	return x.show(b, v)
}

func parseView(argv []string) (v view, ok bool) {
	flags := map[string]*bool{"--report": &v.report, "--json": &v.json, "--archive": &v.archive, "--file-list": &v.fileList, "--only-targets": &v.onlyTargets}
	values := map[string]*string{"--file": &v.file, "--files-for-target": &v.filesFor}
	for i := 0; i < len(argv); i++ {
		flag, is := flags[argv[i]]
		value, takes := values[argv[i]]
		switch {
		case is:
			*flag = true
		case takes && i+1 < len(argv):
			i++
			*value = argv[i]
		case takes || strings.HasPrefix(argv[i], "-"):
			return v, false
		default:
			v.paths = append(v.paths, argv[i])
		}
	}
	return v, true
}

func (x Xccov) show(b Bundle, v view) int {
	switch {
	case v.fileList:
		for _, f := range b.coverageFiles() {
			fmt.Fprintln(x.Stdout, f.Path)
		}
	case v.file != "":
		return x.file(b, v)
	case v.json:
		fmt.Fprintln(x.Stdout, strings.TrimSuffix(compact(b.report(v)), "\n"))
	default:
		b.printReport(x.Stdout, v)
	}
	return 0
}

func (b Bundle) coverageFiles() (all []CoverageFile) {
	for _, t := range b.Coverage {
		all = append(all, t.Files...)
	}
	return all
}

func (x Xccov) file(b Bundle, v view) int {
	files := b.coverageFiles()
	i := slices.IndexFunc(files, func(f CoverageFile) bool { return f.Path == v.file })
	if i < 0 {
		fmt.Fprintf(x.Stderr, "Error: Error Domain=XCCovErrorDomain Code=0 \"The file %s is not in the coverage archive\"\n", v.file)
		return 1
	}
	if v.json {
		fmt.Fprint(x.Stdout, compact(object{v.file: files[i].lines()}))
		return 0
	}
	for _, line := range files[i].lines() {
		o := line.(object)
		count := "*"
		if o["isExecutable"] == true {
			count = fmt.Sprint(o["executionCount"])
		}
		fmt.Fprintf(x.Stdout, "%4d: %s\n", o["line"], count)
	}
	return 0
}

// report is the whole of it, or the part that was asked for.
func (b Bundle) report(v view) any {
	targets := list(b.Coverage, CoverageTarget.json)
	switch {
	case v.onlyTargets:
		for _, t := range targets {
			delete(t.(object), "files")
		}
		return targets
	case v.filesFor != "":
		return slices.DeleteFunc(targets, func(t any) bool { return t.(object)["name"] != v.filesFor })
	}
	var total tally
	for _, t := range b.Coverage {
		total.add(t.tally())
	}
	return total.put(object{"targets": targets})
}

func (b Bundle) printReport(w io.Writer, v view) {
	fmt.Fprintf(w, "ID Name %s # Source Files Coverage\n-- ---- - -------------- --------\n", "")
	for i, t := range b.Coverage {
		n := t.tally()
		fmt.Fprintf(w, "%d %s %d %.2f%% (%d/%d)\n", i, t.Name, len(t.Files), 100*n.share(), n.covered, n.executable)
		if v.onlyTargets {
			continue
		}
		for _, f := range t.Files {
			n := f.tally()
			fmt.Fprintf(w, "    %s %.2f%% (%d/%d)\n", f.Path, 100*n.share(), n.covered, n.executable)
		}
	}
}
