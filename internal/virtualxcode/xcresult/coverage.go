package xcresult

// CoverageTarget is the coverage of one product.
type CoverageTarget struct {
	Name    string // such as Shop.app
	Product string // the path of the product
	Files   []CoverageFile
}

// CoverageFile is one source file.
type CoverageFile struct {
	Path      string
	Lines     int // of the whole file
	Functions []Function
}

// Function is a range of lines that run together.
type Function struct {
	Name       string
	Line       int
	Executable []int // the lines with code
	Count      int   // number of executions
}

// tally is the number of lines and of executed lines.
type tally struct{ covered, executable int }

func (t *tally) add(o tally) {
	t.covered, t.executable = t.covered+o.covered, t.executable+o.executable
}

func (t tally) share() float64 {
	if t.executable == 0 {
		return 0
	}
	return float64(t.covered) / float64(t.executable)
}

// put writes the three figures of every level of a report.
func (t tally) put(o object) object {
	o["coveredLines"], o["executableLines"], o["lineCoverage"] = t.covered, t.executable, t.share()
	return o
}

func (f Function) tally() tally {
	t := tally{executable: len(f.Executable)}
	if f.Count > 0 {
		t.covered = t.executable
	}
	return t
}

func (f CoverageFile) tally() (t tally) {
	for _, fn := range f.Functions {
		t.add(fn.tally())
	}
	return t
}

func (c CoverageTarget) tally() (t tally) {
	for _, f := range c.Files {
		t.add(f.tally())
	}
	return t
}

func (f Function) json() any {
	return f.tally().put(object{"name": f.Name, "lineNumber": f.Line, "executionCount": f.Count})
}

func (f CoverageFile) json() any {
	return f.tally().put(object{"name": f.Path[lastSlash(f.Path):], "path": f.Path, "functions": list(f.Functions, Function.json)})
}

func (c CoverageTarget) json() any {
	return c.tally().put(object{"name": c.Name, "buildProductPath": c.Product, "files": list(c.Files, CoverageFile.json)})
}

// lines is a file line by line, as xccov view --file prints it.
func (f CoverageFile) lines() array {
	counts := map[int]int{}
	for _, fn := range f.Functions {
		for _, line := range fn.Executable {
			counts[line] = fn.Count
		}
	}
	out := array{}
	for line := 1; line <= f.Lines; line++ {
		count, is := counts[line]
		o := object{"line": line, "isExecutable": is}
		if is {
			o["executionCount"] = count
		}
		out = append(out, o)
	}
	return out
}

func lastSlash(path string) int {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return i + 1
		}
	}
	return 0
}
