package builder

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// place is the folder for the files of one project's builds.
type place struct{ dir string }

// placeOf names the folder by the project's name, for people, and by a hash of its real path, so that two clones have two folders.
func (e *Engine) placeOf(r Request) place {
	path := r.Container()
	for _, other := range []string{r.Products, r.TestRun} {
		if path == "" {
			path = other
		}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	sum := sha256.Sum256([]byte(path))
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return place{filepath.Join(e.o.Dir, readable(name)+"-"+hex.EncodeToString(sum[:6]))}
}

func readable(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, name)
	return clean[:min(len(clean), 40)]
}

func (p place) logs() string    { return filepath.Join(p.dir, "logs") }
func (p place) results() string { return filepath.Join(p.dir, "results") }

// derivedData is the folder a request builds in, as an argument; "" leaves it to xcodebuild. Xcode and
// several agents may build clones of one project at the same time, so each has a folder of its own; a request that wants
// Xcode's own folder names its root.
func (e *Engine) derivedData(r Request) string {
	switch {
	case r.DerivedData == "":
		return filepath.Join(e.placeOf(r).dir, "DerivedData")
	case e.o.XcodeData != "" && filepath.Clean(r.DerivedData) == filepath.Clean(e.o.XcodeData):
		return ""
	}
	return r.DerivedData
}

// keepResults is how many logs and result bundles of a project are kept.
const keepResults = 20

// prune removes the oldest entries of a folder; their names begin with their time.
func prune(dir string, keep int) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= keep {
		return
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(stampOf(a.Name()), stampOf(b.Name())) })
	for _, entry := range entries[:len(entries)-keep] {
		os.RemoveAll(filepath.Join(dir, entry.Name())) // the next run tries again after an error
	}
}

// stampOf is the time in a name such as xcodebuild-20260102T150405.000-1.log.
func stampOf(name string) string {
	for part := range strings.SplitSeq(name, "-") {
		if len(part) > 15 && part[8] == 'T' {
			return part
		}
	}
	return name
}

// newBundle is a path for a result bundle that does not exist yet: xcodebuild refuses any other.
func (e *Engine) newBundle(p place) (string, error) {
	if err := os.MkdirAll(p.results(), 0o700); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(p.results(), e.o.Now().UTC().Format("20060102T150405.000")+"-*")
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "Tests.xcresult"), nil
}
