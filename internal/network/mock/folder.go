package mock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/docfile"
)

// Limits of a folder.
const (
	mostFiles   = 200  // files of YAML
	mostEntries = 5000 // files and folders of any kind
)

// Folder is a folder of mocks: its files *.yaml and *.yml, sorted by name. It is safe for concurrent use.
type Folder struct {
	dir string

	mu    sync.Mutex
	rules []Rule
	stamp string // of the last read, whether it succeeded or not
}

// Problem is an error in a file of mocks.
type Problem struct {
	File    string `json:"file"` // name in the folder
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

func problem(file string, err error) Problem {
	return Problem{file, lineOf(err, 0), docfile.Reason(err)}
}

// LoadError has all errors of a folder.
type LoadError struct {
	Dir      string
	Problems []Problem
	Kept     int // number of earlier rules that stay in use
}

func (e *LoadError) Error() string {
	const most = 10
	var b strings.Builder
	fmt.Fprintf(&b, "cannot load the mocks in %s", e.Dir)
	if e.Kept > 0 {
		fmt.Fprintf(&b, " (the %d loaded before stay in use)", e.Kept)
	}
	for i, p := range e.Problems {
		if i == most {
			fmt.Fprintf(&b, "\nand %d more", len(e.Problems)-most)
			break
		}
		b.WriteString("\n" + p.String())
	}
	return b.String()
}

// Fault converts the error for a caller.
func (e *LoadError) Fault() *fault.Fault {
	return fault.New(fault.InvalidInput, "%w", e).With("problems", e.Problems).
		WithHint("correct these lines; the proxy reloads a folder that it watches")
}

// Load reads a folder. Errors in its files are a *LoadError, and no rule is loaded then.
func Load(dir string) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{dir: dir}
	return f, f.Reload()
}

// Dir is the folder's path.
func (f *Folder) Dir() string { return f.dir }

// Rules are the rules of the last load without errors.
func (f *Folder) Rules() []Rule {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.rules)
}

// Changed reports whether the folder changed since it was last read. It compares names, sizes and times only.
func (f *Folder) Changed() bool {
	now := stampOf(f.dir)
	f.mu.Lock()
	defer f.mu.Unlock()
	return now != f.stamp
}

// Reload reads the folder again. After an error the old rules stay, and the error is a *LoadError.
func (f *Folder) Reload() error {
	stamp := stampOf(f.dir) // taken before reading, so that a change during the read is seen next time
	rules, err := readFolder(f.dir)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stamp = stamp
	if e, ok := errors.AsType[*LoadError](err); ok {
		e.Kept = len(f.rules)
		return e
	}
	if err != nil {
		return err
	}
	f.rules = rules
	return nil
}

func readFolder(dir string) ([]Rule, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fault.New(fault.PathError, "cannot read the folder of mocks: %w", err)
	}
	var rules []Rule
	var wrong []Problem
	files, ids := 0, map[string]string{}
	for _, e := range entries {
		name := e.Name()
		if ext := strings.ToLower(filepath.Ext(name)); strings.HasPrefix(name, ".") || ext != ".yaml" && ext != ".yml" {
			continue
		}
		if files++; files > mostFiles {
			wrong = append(wrong, Problem{File: name, Message: fmt.Sprintf("the folder has more than %d files", mostFiles)})
			break
		}
		data, err := docfile.Read(dir, name, docfile.MostYAML)
		if err != nil {
			wrong = append(wrong, Problem{File: name, Message: reason(err)})
			continue
		}
		some, bad := parse(dir, name, data)
		wrong = append(wrong, bad...)
		for _, r := range some {
			if other, twice := ids[r.ID]; twice && len(bad) == 0 {
				wrong = append(wrong, Problem{File: name, Message: fmt.Sprintf("the id %s is also in %s", r.ID, other)})
			}
			ids[r.ID] = name
			rules = append(rules, r)
		}
	}
	if len(rules) > MostRules {
		wrong = append(wrong, Problem{File: ".", Message: fmt.Sprintf("the folder has %d rules; the maximum is %d", len(rules), MostRules)})
	}
	if len(wrong) > 0 {
		return nil, &LoadError{Dir: dir, Problems: wrong}
	}
	return rules, nil
}

// stampOf summarizes a folder without reading its files.
func stampOf(dir string) string {
	var b strings.Builder
	n := 0
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if n++; n > mostEntries {
			return fs.SkipAll
		}
		if err != nil {
			fmt.Fprintf(&b, "%s ?\n", path)
			return nil // the entry may come back
		}
		if info, err := e.Info(); err == nil && !e.IsDir() {
			fmt.Fprintf(&b, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return b.String()
}
