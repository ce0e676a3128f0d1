package xctest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/apple/crash"
	"ios-agent/internal/device"
	"ios-agent/internal/machine/regularfile"
)

var _ device.EndReporter = (*phone)(nil)

const (
	reportWait = 3 * time.Second // macOS writes the report a moment after the app has ended
	reportGap  = 50 * time.Millisecond
	mostReport = 8 << 20
	fewLines   = 8   // of the log
	fewBytes   = 900 // of the report
)

// Ended looks for the crash report that macOS wrote for the app, and for what the app logged last.
func (p *phone) Ended(ctx context.Context, bundleID string, since time.Time) (device.End, error) {
	p.mu.Lock()
	ours := p.ended[bundleID]
	p.mu.Unlock()
	if ours {
		return device.End{Reason: "it was terminated"}, nil
	}
	path, report := p.report(ctx, bundleID, since)
	end := device.End{}
	if report != nil {
		end.Report, end.Crash, end.Reason = path, report.Text(fewBytes), reason(report)
	}
	name := bundleID[strings.LastIndex(bundleID, ".")+1:]
	if report != nil && report.App != "" {
		name = report.App
	}
	end.Logs = p.lastLines(ctx, name)
	return end, nil
}

// report waits for a report that is not older than since.
func (p *phone) report(ctx context.Context, bundleID string, since time.Time) (string, *crash.Report) {
	late := time.NewTimer(reportWait)
	defer late.Stop()
	look := time.NewTicker(reportGap)
	defer look.Stop()
	for {
		if path, r := p.newestReport(bundleID, since); r != nil {
			return path, r
		}
		select {
		case <-look.C:
		case <-late.C:
			return "", nil
		case <-ctx.Done():
			return "", nil
		}
	}
}

// clockGrain is how much a file system may round a time down.
const clockGrain = time.Second

func (p *phone) newestReport(bundleID string, since time.Time) (string, *crash.Report) {
	paths, err := filepath.Glob(filepath.Join(p.driver.Tools.Reports, "*.ips"))
	if err != nil {
		return "", nil
	}
	type file struct {
		path string
		at   time.Time
	}
	var fresh []file
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && !info.ModTime().Before(since.Add(-clockGrain)) && info.Size() < mostReport {
			fresh = append(fresh, file{path, info.ModTime()})
		}
	}
	slices.SortFunc(fresh, func(a, b file) int { return b.at.Compare(a.at) })
	for _, f := range fresh {
		data, err := regularfile.Read(f.path, mostReport)
		if err != nil {
			continue
		}
		if r, err := crash.Read(data); err == nil && r.BundleID == bundleID {
			return f.path, r
		}
	}
	return "", nil
}

// reason says in one line why the app ended.
func reason(r *crash.Report) string {
	words := []string{strings.TrimSpace(r.Exception.Type + " " + parenthesised(r.Exception.Signal))}
	if len(r.Reasons) > 0 {
		words = append(words, r.Reasons[0])
	} else if r.Termination != "" {
		words = append(words, r.Termination)
	}
	return "it crashed, " + strings.Join(words, ": ")
}

func parenthesised(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

// lastLines are what the process logged last; none when the log cannot be read.
func (p *phone) lastLines(ctx context.Context, process string) []string {
	r, err := p.driver.simctl().Spawn(ctx, p.info.UDID, "log", "show", "--last", "1m", "--style", "compact",
		"--predicate", "process == "+strconv.Quote(process))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(r.Stdout)), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "Timestamp ") || strings.HasPrefix(l, "Filtering ") })
	return lines[max(0, len(lines)-fewLines):]
}
