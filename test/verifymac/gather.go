package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/reports"
)

// The limits of what is gathered: a Mac may have gigabytes of logs and reports.
const (
	mostReports  = 40
	mostGathered = 16 << 20 // bytes of one file; of a larger one, its end
)

// gather copies what the run left in other places into the folder of the results: the logs of the daemon and of the agent's runs, the
// result bundles of agents that did not start, and the crash reports from the time of the run.
func (t *trial) gather() {
	for from, to := range map[string]string{"run": "logs", "agent/logs": "logs/agent", "agent/failed": "results"} {
		t.gatherFolder(filepath.Join(t.home, filepath.FromSlash(from)), to, func(name string) bool {
			return from != "run" || strings.Contains(filepath.Base(name), ".log")
		})
	}
	all := reports.In(t.reports(), t.began)
	for _, f := range all[max(0, len(all)-mostReports):] {
		t.gatherFile(f.Path, "crashes/"+filepath.Base(f.Path))
	}
}

// reports is the folder into which the Mac writes crash reports.
func (t *trial) reports() string {
	if t.tools.Name == apple.Virtual {
		return filepath.Join(t.home, "virtual", "Logs", "DiagnosticReports")
	}
	user, _ := os.UserHomeDir() // without a home folder there are no reports
	return filepath.Join(user, "Library", "Logs", "DiagnosticReports")
}

func (t *trial) gatherFolder(from, to string, wanted func(name string) bool) {
	_ = filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if below, relErr := filepath.Rel(from, name); err == nil && relErr == nil && d.Type().IsRegular() && wanted(below) {
			t.gatherFile(name, to+"/"+filepath.ToSlash(below))
		}
		return nil // a folder that is missing has nothing to gather
	})
}

// gatherFile copies a file, or its end. The page goes on without a file that cannot be copied.
func (t *trial) gatherFile(from, to string) {
	content, err := endOf(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(t.path(to)), 0o700)
	}
	if err == nil {
		err = os.WriteFile(t.path(to), content, 0o600)
	}
	if err != nil {
		fmt.Fprintf(t.out, "cannot gather %s: %v\n", from, err)
	}
}

func endOf(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	content := make([]byte, min(info.Size(), mostGathered))
	n, err := f.ReadAt(content, info.Size()-int64(len(content)))
	if n == len(content) {
		err = nil
	}
	return content[:n], err
}
