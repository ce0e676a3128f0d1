package world

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/crashreport"
)

// CrashReport is the report of a crash. The Mac keeps it, so it stays when the device is erased.
type CrashReport struct {
	Path     string // the path of the .ips; empty in a world without reports
	Time     time.Time
	Incident string
	Bundle   string
	Process  string
	PID      int
	Kind     string // the exception's type and signal, such as EXC_BREAKPOINT (SIGTRAP)
	Message  string
}

// maxCrashes is the number of crashes that a device remembers.
const maxCrashes = 100

// CrashReports lists the crashes of a device's apps, the oldest first.
func (w *World) CrashReports(udid string) ([]CrashReport, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return nil, err
	}
	if err := w.attend(d); err != nil {
		return nil, err
	}
	return slices.Clone(d.Crashes), nil
}

// AddCrashReport adds the report of a crash that happened elsewhere, for tests.
func (w *World) AddCrashReport(udid string, r CrashReport) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return err
	}
	d.Crashes = append(d.Crashes, r)
	return nil
}

// report writes the reports of d's new crashes. The caller holds the lock.
func (w *World) report(d *device) {
	unreported := d.unreported
	d.unreported = nil
	for _, c := range unreported {
		d.dirty = true
		r := CrashReport{Time: c.At, Bundle: c.Bundle, Process: c.Name, PID: c.PID, Message: c.Message, Incident: c.Incident(d.UDID),
			Kind: c.Type()}
		d.log(Entry{Time: c.At, Process: "launchd_sim", PID: d.launchd(), Message: fmt.Sprintf(
			"(UIKitApplication:%s[%s][rb-legacy][%d]): Service exited due to %s | sent by %s", c.Bundle, r.Incident[:4], c.PID, c.Signal(),
			c.Sender())})
		if w.reports != "" {
			r.Path = w.writeReport(d, c)
		}
		d.Crashes = append(d.Crashes, r)
		d.Crashes = slices.Clone(d.Crashes[max(0, len(d.Crashes)-maxCrashes):])
	}
}

// launchd is the parent process of d's processes.
func (d *device) launchd() int { return d.springboardPID - 10 }

// writeReport writes a report and logs its path or the error, because the caller that touched the screen must not fail.
func (w *World) writeReport(d *device, c crashreport.Crash) string {
	reporter := Entry{Time: c.At, Process: "ReportCrash", PID: d.springboardPID - 3, Subsystem: "com.apple.ReportCrash",
		Category: "default"}
	path, err := w.saveReport(d, c)
	if err != nil {
		reporter.Level, reporter.Message = LevelError, fmt.Sprintf("Failed to save report for %s[%d]: %v", c.Name, c.PID, err)
	} else {
		reporter.Message = "Saved report to " + path
	}
	d.log(reporter)
	return path
}

// reportsOf is the folder of a device's reports: on the Mac for simulators, and for a physical device a folder of the world that only
// devicectl reads.
func (w *World) reportsOf(d *device) string {
	if d.hardware == nil {
		return w.reports
	}
	return filepath.Join(filepath.Dir(w.reports), "OnDevices", d.UDID)
}

func (w *World) saveReport(d *device, c crashreport.Crash) (string, error) {
	i := d.installed(c.Bundle)
	if i == nil {
		return "", notInstalled(c.Bundle)
	}
	return c.Write(w.reportsOf(d), crashreport.Device{
		Physical: d.hardware != nil,
		UDID:     d.UDID, Number: d.Number, Runtime: d.RuntimeID, RuntimeRoot: d.runtime.Root(), Launchd: d.launchd(), Booted: d.LastBooted,
		App: i.bundle, Executable: path.Join(w.containers(d, i.bundle).App, i.bundle.Executable),
	})
}
