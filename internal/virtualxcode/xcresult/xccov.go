package xcresult

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/virtualxcode/tool"
)

// Xccov is one call of xccov.
type Xccov struct{ tool.Call }

// view is the options of xccov view.
type view struct {
	report, json, archive, fileList, onlyTargets bool
	file, filesFor, functionsFor, equivalence    string
	paths                                        []string
}

const viewParts = "[--only-targets | --files-for-target <target_name> | --functions-for-file <name_or_path>] [--json]"

const viewUsage = `Usage: xccov view ` + viewParts + ` <report.xccovreport>
       xccov view --report ` + viewParts + ` <result_bundle.xcresult>
       xccov view --archive [--file-list | --file <path>] [--json] <result_bundle.xcresult>
       xccov diff --json [--path-equivalence <from>,<to>] <before.xcresult> <after.xcresult>
`

// Run plays one command line.
func (x Xccov) Run() int {
	argv := x.Args
	verbs := map[string]struct {
		paths int
		run   func(Xccov, []Bundle, view) int
	}{"view": {1, Xccov.show}, "diff": {2, Xccov.diff}}
	if len(argv) == 0 || verbs[argv[0]].run == nil {
		fmt.Fprint(x.Stderr, viewUsage)
		return exitUsage
	}
	verb := verbs[argv[0]]
	v, ok := parseView(argv[1:])
	if !ok || len(v.paths) != verb.paths || !v.fits(argv[0]) {
		fmt.Fprint(x.Stderr, viewUsage)
		return exitUsage
	}
	var bundles []Bundle
	for _, path := range v.paths {
		b, err := x.read(path)
		if err != nil {
			fmt.Fprintf(x.Stderr, "Error: %v\n", err)
			return 1
		}
		bundles = append(bundles, b)
	}
	return verb.run(x, bundles, v)
}

// read reads a bundle that must have coverage.
func (x Xccov) read(path string) (Bundle, error) {
	b, err := Read(x.Path(path))
	switch {
	case err != nil:
		return b, fmt.Errorf("Error Domain=XCCovErrorDomain Code=0 \"Failed to load result bundle\" "+
			"UserInfo={NSLocalizedDescription=Failed to load result bundle, NSUnderlyingError=%w}", err)
	case !b.HasCoverage:
		return b, errors.New("Error Domain=XCCovErrorDomain Code=0 \"No coverage data in result bundle\" " +
			"UserInfo={NSLocalizedDescription=No coverage data in result bundle}")
	}
	return b, nil
}

func parseView(argv []string) (v view, ok bool) {
	flags := map[string]*bool{"--report": &v.report, "--json": &v.json, "--archive": &v.archive, "--file-list": &v.fileList,
		"--only-targets": &v.onlyTargets}
	values := map[string]*string{"--file": &v.file, "--files-for-target": &v.filesFor, "--functions-for-file": &v.functionsFor,
		"--path-equivalence": &v.equivalence}
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

// fits reports whether one line of the usage names all options.
func (v view) fits(verb string) bool {
	report := v.onlyTargets || v.filesFor != "" || v.functionsFor != ""
	archive := v.fileList || v.file != ""
	switch {
	case verb == "diff":
		return !v.report && !v.archive && !report && !archive
	case v.archive:
		return !v.report && !report && v.equivalence == ""
	}
	return !(report && archive) && v.equivalence == ""
}

func (x Xccov) show(bundles []Bundle, v view) int {
	b := bundles[0]
	switch {
	case v.fileList:
		for _, f := range b.coverageFiles() {
			fmt.Fprintln(x.Stdout, f.Path)
		}
	case v.file != "":
		return x.file(b, v)
	case v.functionsFor != "" && len(b.filesNamed(v.functionsFor)) == 0:
		fmt.Fprintf(x.Stderr, "Error: Error Domain=XCCovErrorDomain Code=0 \"No coverage data for file %s\"\n", v.functionsFor)
		return 1
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

// report is the whole report, or the requested part.
func (b Bundle) report(v view) any {
	targets := list(b.Coverage, CoverageTarget.json)
	switch {
	case v.onlyTargets:
		for _, t := range targets {
			delete(t.(object), "files")
		}
		return targets
	case v.functionsFor != "":
		return list(b.filesNamed(v.functionsFor), CoverageFile.json)
	case v.filesFor != "":
		return slices.DeleteFunc(targets, func(t any) bool { return t.(object)["name"] != v.filesFor })
	}
	var total tally
	for _, t := range b.Coverage {
		total.add(t.tally())
	}
	return total.put(object{"targets": targets})
}

// filesNamed are the files of a name, or the file at a path.
func (b Bundle) filesNamed(name string) (found []CoverageFile) {
	for _, f := range b.coverageFiles() {
		if f.Path == name || f.Path[lastSlash(f.Path):] == name {
			found = append(found, f)
		}
	}
	return found
}

// printReport prints the report as text: the whole as a tree, one level as a table.
func (b Bundle) printReport(w io.Writer, v view) {
	switch {
	case v.onlyTargets:
		rows := [][]string{{"ID", "Name", "# Source Files", "Coverage"}}
		for i, t := range b.Coverage {
			rows = append(rows, []string{strconv.Itoa(i), t.Name, strconv.Itoa(len(t.Files)), t.tally().text()})
		}
		table(w, rows)
	case v.filesFor != "":
		for _, t := range b.Coverage {
			if t.Name != v.filesFor {
				continue
			}
			fmt.Fprintf(w, "%s:\n", t.Name)
			rows := [][]string{{"ID", "Path", "# Functions", "Coverage"}}
			for i, f := range t.Files {
				rows = append(rows, []string{strconv.Itoa(i), f.Path, strconv.Itoa(len(f.Functions)), f.tally().text()})
			}
			table(w, rows)
		}
	case v.functionsFor != "":
		for _, f := range b.filesNamed(v.functionsFor) {
			fmt.Fprintf(w, "%s:\n", f.Path)
			rows := [][]string{{"ID", "Name", "Range", "Coverage"}}
			for i, fn := range f.Functions {
				rows = append(rows, []string{strconv.Itoa(i), fn.Name, fmt.Sprintf("{%d, %d}", fn.Line, len(fn.Executable)),
					fn.tally().text()})
			}
			table(w, rows)
		}
	default:
		for _, t := range b.Coverage {
			fmt.Fprintf(w, "%s %s\n", t.Name, t.tally().text())
			for _, f := range t.Files {
				fmt.Fprintf(w, "    %s %s\n", f.Path, f.tally().text())
				for _, fn := range f.Functions {
					fmt.Fprintf(w, "        %s %s\n", fn.Name, fn.tally().text())
				}
			}
		}
	}
}

func (t tally) text() string {
	return fmt.Sprintf("%.2f%% (%d/%d)", 100*t.share(), t.covered, t.executable)
}

// table prints rows below their heading, in columns.
func table(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	line := make([]string, len(widths))
	for i, n := range widths {
		line[i] = strings.Repeat("-", n)
	}
	for _, row := range slices.Insert(rows, 1, line) {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(w, " ")
			}
			fmt.Fprintf(w, "%-*s", widths[i], cell)
		}
		fmt.Fprintln(w)
	}
}

// diff compares the coverage of two runs, file by file.
func (x Xccov) diff(bundles []Bundle, v view) int {
	if !v.json {
		fmt.Fprint(x.Stderr, viewUsage)
		return exitUsage
	}
	from, to, _ := strings.Cut(v.equivalence, ",")
	before := map[string]CoverageFile{}
	for _, f := range bundles[0].coverageFiles() {
		path := f.Path
		if from != "" && strings.HasPrefix(path, from) {
			path = to + path[len(from):]
		}
		before[path] = f
	}
	files := array{}
	for _, f := range bundles[1].coverageFiles() {
		old, new := before[f.Path].tally(), f.tally()
		files = append(files, object{"documentLocation": f.Path, "lineCoverageDelta": object{
			"coveredLinesDelta": new.covered - old.covered, "executableLinesDelta": new.executable - old.executable,
			"lineCoverageDelta": new.share() - old.share()}})
	}
	fmt.Fprint(x.Stdout, compact(object{"files": files}))
	return 0
}
