// Package reports finds crash report files in the folders of systems and people: In lists Files, Read reads one within bounds. It does not
// interpret a report; package crash does.
package reports

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ios-agent/internal/apple/crash"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/text/lazyregexp"
)

// The limits of a folder: macOS keeps some hundred reports, and the largest have three megabytes.
const (
	MostFiles = 1000
	MostBytes = 8 << 20
)

// Retired is the subfolder into which macOS moves reports that it has sent.
const Retired = "Retired"

// File is one report on the disk. Two files with the same fields count as the same content.
type File struct {
	Path string
	Time time.Time // when it was written
	Size int64
}

// names matches the names of reports; devices add a word to reports that they have sent.
var names = lazyregexp.New(`\.(?:ips|crash|hang|spin|diag|txt|json)(?:\.(?:ca\.)?synced)?$`)

// In lists the reports of a folder and of its Retired folder that are not older than since, the oldest first. Of more than MostFiles it
// lists the newest. A missing folder has none. Links are not followed.
func In(folder string, since time.Time) []File {
	var all []File
	for _, dir := range []string{folder, filepath.Join(folder, Retired)} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !names.MatchString(e.Name()) {
				continue
			}
			if info, err := e.Info(); err == nil && !info.ModTime().Before(since) {
				all = append(all, File{Path: filepath.Join(dir, e.Name()), Time: info.ModTime(), Size: info.Size()})
			}
		}
	}
	slices.SortFunc(all, func(a, b File) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Path, b.Path)) })
	return all[max(0, len(all)-MostFiles):]
}

// Read reads a report, and returns its text too.
func (f File) Read() (*crash.Report, []byte, error) {
	data, err := regularfile.Read(f.Path, MostBytes)
	if err != nil {
		return nil, nil, err
	}
	r, err := crash.Read(data)
	return r, data, err
}

// ID is the id of the report in a file.
func (f File) ID(r *crash.Report) string { return r.ID(filepath.Base(f.Path)) }
