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

// Bounds of a folder.
const (
	mostFiles   = 200  // of YAML
	mostEntries = 5000 // of any kind
)

// Folder is a folder of mocks: its files *.yaml and *.yml in the order of their names. It is safe for concurrent use.
type Folder struct {
	dir string

	mu    sync.Mutex
	rules []Rule
	stamp string // of what was read last, whole or broken
}

// Problem is what is wrong in a file of mocks.
type Problem struct {
	File    string `json:"file"` // in the folder
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

// LoadError is all that is wrong in a folder.
type LoadError struct {
	Dir      string
	Problems []Problem
	Kept     int // rules that were loaded before and stay
}

func (e *LoadError) Error() string {
	const most = 10
	var b strings.Builder
	fmt.Fprintf(&b, "the mocks in %s cannot be loaded", e.Dir)
	if e.Kept > 0 {
		fmt.Fprintf(&b, " (the %d that were loaded before stay)", e.Kept)
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

// Fault is the error for a caller.
func (e *LoadError) Fault() *fault.Fault {
	return fault.New(fault.InvalidInput, "%w", e).With("problems", e.Problems).
		WithHint("Correct these lines. A folder that the proxy watches is read again by itself.")
}

// Load reads a folder. What is wrong in its files is a *LoadError, and nothing is loaded then.
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

// Rules are those that were loaded last without a mistake.
func (f *Folder) Rules() []Rule {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.rules)
}

// Changed says whether something in the folder changed since it was last read. It looks at names, sizes and times only.
func (f *Folder) Changed() bool {
	now := stampOf(f.dir)
	f.mu.Lock()
	defer f.mu.Unlock()
	return now != f.stamp
}

// Reload reads the folder again. If something is wrong, the old rules stay, and the *LoadError says so.
func (f *Folder) Reload() error {
	stamp := stampOf(f.dir) // before it is read: what changes meanwhile is seen next time
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
		return nil, fault.New(fault.PathError, "the folder of mocks cannot be read: %w", err)
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
			wrong = append(wrong, Problem{File: name, Message: fmt.Sprintf("there are more than %d files", mostFiles)})
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
		wrong = append(wrong, Problem{File: ".", Message: fmt.Sprintf("there are %d rules; at most %d are kept", len(rules), MostRules)})
	}
	if len(wrong) > 0 {
		return nil, &LoadError{Dir: dir, Problems: wrong}
	}
	return rules, nil
}

// stampOf is what is seen of a folder without reading its files.
func stampOf(dir string) string {
	var b strings.Builder
	n := 0
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if n++; n > mostEntries {
			return fs.SkipAll
		}
		if err != nil {
			fmt.Fprintf(&b, "%s ?\n", path)
			return nil // it may come back
		}
		if info, err := e.Info(); err == nil && !e.IsDir() {
			fmt.Fprintf(&b, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return b.String()
}
