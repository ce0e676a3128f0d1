package xctest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/apple/crash"
	"ios-agent/internal/apple/reports"
	"ios-agent/internal/device"
)

var _ device.EndReporter = (*phone)(nil)

const (
	reportWait = 3 * time.Second // macOS writes the report a moment after the app has ended
	reportGap  = 50 * time.Millisecond
	fewLines   = 8   // of the log
	fewBytes   = 900 // of the report
)

// Ended looks for the crash report that macOS wrote for the app, and for the app's last log lines.
func (p *phone) Ended(ctx context.Context, bundleID string, since time.Time) (device.End, error) {
	p.mu.Lock()
	ours := p.ended[bundleID]
	p.mu.Unlock()
	if ours {
		return device.End{Reason: "it was terminated"}, nil
	}
	file, report := p.report(ctx, bundleID, since)
	end := device.End{}
	if report != nil {
		end.Report, end.ID, end.Crash, end.Reason = file.Path, file.ID(report), report.Text(fewBytes), reason(report)
	}
	name := bundleID[strings.LastIndex(bundleID, ".")+1:]
	if report != nil && report.App != "" {
		name = report.App
	}
	end.Logs = p.lastLines(ctx, name)
	if report == nil && ctx.Err() == nil && p.info.Type == device.TypeSimulator { // reports of devices are elsewhere
		end.Own, end.Reason = true, fmt.Sprintf("no crash report was written in %v: it exited, or another process ended it", reportWait)
	}
	return end, nil
}

// report waits for a report that is not older than since.
func (p *phone) report(ctx context.Context, bundleID string, since time.Time) (*reports.File, *crash.Report) {
	late := time.NewTimer(reportWait)
	defer late.Stop()
	look := time.NewTicker(reportGap)
	defer look.Stop()
	for {
		if file, r := p.newestReport(bundleID, since); r != nil {
			return file, r
		}
		select {
		case <-look.C:
		case <-late.C:
			return nil, nil
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// clockGrain is by how much a file system may round a time down.
const clockGrain = time.Second

func (p *phone) newestReport(bundleID string, since time.Time) (*reports.File, *crash.Report) {
	fresh := reports.In(p.driver.Tools.Reports, since.Add(-clockGrain))
	for _, f := range slices.Backward(fresh) {
		if r, _, err := f.Read(); err == nil && r.Kind == crash.Crash && r.BundleID == bundleID {
			return &f, r
		}
	}
	return nil, nil
}

// reason is one line about why the app ended.
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

// headings begin the lines of `log show` that are not log records.
var headings = []string{"Timestamp ", "Filtering ", "Skipping "}

// lastLines are the last lines that the process logged; nil when the log cannot be read.
func (p *phone) lastLines(ctx context.Context, process string) []string {
	r, err := p.driver.simctl().Spawn(ctx, p.info.UDID, "log", "show", "--last", "1m", "--style", "compact",
		"--predicate", "process == "+strconv.Quote(process))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(r.Stdout)), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		return l == "" || slices.ContainsFunc(headings, func(h string) bool { return strings.HasPrefix(l, h) })
	})
	return lines[max(0, len(lines)-fewLines):]
}
