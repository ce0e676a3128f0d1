package builder

import (
	"os"
	"path/filepath"
	"strings"

	"ios-agent/internal/fault"
)

// AppLogs are the files for the output of an app.
type AppLogs struct{ Stdout, Stderr string }

// NewAppLogs names the files for the output of one run of an app, and deletes the files of the oldest runs.
func (e *Engine) NewAppLogs(app string) (AppLogs, error) {
	dir := filepath.Join(e.o.Dir, "apps", readable(strings.TrimSuffix(filepath.Base(app), ".app")))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return AppLogs{}, fault.New(fault.PathError, "cannot create a folder for the app's output: %w", err)
	}
	prune(dir, 2*keepResults)
	stamp := e.o.Now().UTC().Format("20060102T150405.000")
	return AppLogs{filepath.Join(dir, stamp+"-stdout.log"), filepath.Join(dir, stamp+"-stderr.log")}, nil
}
