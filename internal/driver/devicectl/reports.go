package devicectl

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	ctl "ios-agent/internal/apple/devicectl"
	"ios-agent/internal/apple/reports"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

var _ device.Reports = (*handset)(nil)

// CopyReports copies reports one by one: a whole domain may have gigabytes.
func (h *handset) CopyReports(ctx context.Context, dir string, most int) (copied, left int, err error) {
	all, err := h.driver.tool().Files(ctx, h.info.UDID, ctl.CrashLogs)
	if err != nil {
		return 0, 0, h.refused(ctx, err, fault.ToolFailed, "listing the crash reports of "+h.info.Name)
	}
	all = slices.DeleteFunc(all, func(f ctl.File) bool { return !isReport(f) || reports.Copied(dir, f.Name, f.About.Size) })
	slices.SortStableFunc(all, func(a, b ctl.File) int { return strings.Compare(b.About.Modified, a.About.Modified) })
	for i, f := range all {
		if i == most {
			return copied, len(all) - i, nil
		}
		to := filepath.Join(dir, f.Name)
		if err := h.driver.tool().CopyFrom(ctx, h.info.UDID, ctl.CrashLogs, f.Path, to); err != nil {
			return copied, len(all) - i, h.refused(ctx, err, fault.ToolFailed, "copying the crash report "+f.Name)
		}
		copied++
	}
	return copied, 0, nil
}

// isReport reports whether a file is a report of a process. Folders contain older reports and archives.
func isReport(f ctl.File) bool {
	return !f.Resource.Folder && !f.Resource.Link && f.Path == f.Name && f.About.Size <= reports.MostOfADevice && reports.OfADevice(f.Name)
}
