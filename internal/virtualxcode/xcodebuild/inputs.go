package xcodebuild

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"ios-agent/internal/machine/regularfile"
)

// inputs are the sources of a target, with the changes since its last successful build.
type inputs struct {
	sources []source
	fresh   map[string]bool // Swift files to compile
	sums    map[string]string
	same    bool // from the last build
	stamp   string
	checked string // what was checked in the sources
}

// checkedKey is the name of inputs.checked in the file with the checksums.
const checkedKey = "checked"

// readInputs reads the sources and compares everything with the last build.
func (s *session) readInputs(b buildable) (inputs, error) {
	in := inputs{fresh: map[string]bool{}, sums: map[string]string{}, stamp: filepath.Join(b.settings["TARGET_TEMP_DIR"],
		"virtual-inputs.json")}
	for _, path := range b.sourcePaths() {
		src, err := readSource(path)
		if errors.Is(err, fs.ErrNotExist) {
			src = source{path: path, missing: true, issues: []issue{{severity: "error",
				message: fmt.Sprintf("Build input file cannot be found: '%s'. Did you forget to declare this file as an output of a "+
					"script phase or custom build rule which produces it?", path)}}}
		} else if err != nil {
			return in, err
		}
		in.sources = append(in.sources, src)
		in.sums[path] = sum(path)
	}
	for _, file := range b.target.Resources {
		path := filepath.Join(b.project.Dir, file)
		in.sums[path] = sum(path)
	}
	settings, _ := json.Marshal(b.settings) // strings only: marshalling cannot fail
	in.sums["settings"] = fmt.Sprintf("%x", sha256.Sum256(settings))
	in.sums["swift"] = s.Swift.Key()
	for _, name := range s.needed(b) {
		in.sums["module "+name] = sum(filepath.Join(s.compiledModules(), name+".swiftmodule"))
	}
	in.compare(b)
	return in, nil
}

func (in *inputs) compare(b buildable) {
	before := map[string]string{}
	if data, err := regularfile.Read(in.stamp, maxResource); err == nil {
		json.Unmarshal(data, &before) // a damaged file causes a full build
	}
	in.checked = before[checkedKey]
	delete(before, checkedKey)
	_, err := os.Stat(b.product())
	in.same = err == nil && maps.Equal(before, in.sums)
	everything := err != nil || slices.ContainsFunc(slices.Collect(maps.Keys(in.sums)), func(key string) bool {
		return !filepath.IsAbs(key) && before[key] != in.sums[key]
	})
	for _, src := range in.sources {
		if everything || before[src.path] != in.sums[src.path] {
			in.fresh[src.path] = true
		}
	}
}

func (in inputs) changed() bool { return !in.same }

// remember stores the checksums for the next build.
func (in inputs) remember() error {
	in.sums[checkedKey] = in.checked
	data, err := json.Marshal(in.sums)
	if err != nil {
		return err
	}
	return write(in.stamp, data, 0o644)
}

func sum(path string) string {
	data, err := regularfile.Read(path, maxResource)
	if err != nil && !errors.Is(err, regularfile.ErrNotRegular) { // for a folder only the name counts
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

func write(path string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, mode)
}
