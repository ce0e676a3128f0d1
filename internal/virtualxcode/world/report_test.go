package world_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/world"
)

// crashing is Conformance on its page of crashes, in a world that writes reports.
func crashing(t *testing.T, reports string) *driver {
	t.Helper()
	d := drive(t, world.Options{Preinstalled: everyApp(t), Root: t.TempDir(), Reports: reports})
	d.launch(conformance)
	d.open("nav-crashes-button")
	return d
}

// ips is a report in its two halves.
type ips struct{ header, body map[string]any }

// readIPS reads a report as everyone does: a line, and then the rest.
func readIPS(t *testing.T, file string) ips {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r ips
	stream := json.NewDecoder(bytes.NewReader(data))
	if err := stream.Decode(&r.header); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if err := stream.Decode(&r.body); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return r
}

func (d *driver) crashed(id string) (world.CrashReport, ips) {
	d.t.Helper()
	d.tap(id)
	all, err := d.CrashReports(d.udid)
	d.must(err)
	if len(all) == 0 {
		d.t.Fatalf("%s left no report", id)
	}
	last := all[len(all)-1]
	return last, readIPS(d.t, last.Path)
}

func TestEveryKindOfCrashLeavesItsReport(t *testing.T) {
	for id, c := range map[string]struct{ kind, signal, says, top string }{
		"crash-fatal": {"EXC_BREAKPOINT", "SIGTRAP", "Fatal error: Index out of range", "_assertionFailure(_:_:file:line:flags:)"},
		"crash-exception": {"EXC_CRASH", "SIGABRT", "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', " +
			"reason: '-[__NSArrayI objectForKey:]", "__pthread_kill"},
		"crash-memory":   {"EXC_BAD_ACCESS", "SIGSEGV", "KERN_INVALID_ADDRESS at 0x0000000000000000", "objc_msgSend"},
		"crash-abort":    {"EXC_CRASH", "SIGABRT", "abort() called", "__pthread_kill"},
		"crash-watchdog": {"EXC_CRASH", "SIGKILL", "scene-update watchdog transgression", "mach_msg2_trap"},
	} {
		t.Run(id, func(t *testing.T) {
			d := crashing(t, filepath.Join(t.TempDir(), "Logs", "DiagnosticReports"))
			got, r := d.crashed(id)
			if got.Kind != c.kind+" ("+c.signal+")" || got.Bundle != conformance ||
				filepath.Base(got.Path) != got.Time.Format("Conformance-2006-01-02-150405.ips") {
				t.Errorf("the world says %+v", got)
			}
			text, err := os.ReadFile(got.Path)
			d.must(err)
			if first, _, _ := bytes.Cut(text, []byte("\n")); !json.Valid(first) ||
				!strings.Contains(strings.ReplaceAll(string(text), `\/`, "/"), c.says) {
				t.Errorf("it does not say %q, or its header is not one line", c.says)
			}
			exception := r.body["exception"].(map[string]any)
			thread := r.body["threads"].([]any)[int(r.body["faultingThread"].(float64))].(map[string]any)
			top := thread["frames"].([]any)[0].(map[string]any)
			if exception["type"] != c.kind || exception["signal"] != c.signal || top["symbol"] != c.top || thread["triggered"] != true {
				t.Errorf("exception %v, top %v", exception, top)
			}
			if _, thrown := r.body["lastExceptionBacktrace"]; thrown != (id == "crash-exception") {
				t.Errorf("a thrown exception: %v", thrown)
			}
			if r.header["incident_id"] != r.body["incident"] || r.header["bundleID"] != conformance || r.body["pid"] != float64(got.PID) {
				t.Errorf("header %v", r.header)
			}
			d.checkImages(r)
			if !slices.ContainsFunc(d.log(), func(e world.Entry) bool {
				return e.Process == "ReportCrash" && e.Message == "Saved report to "+got.Path
			}) {
				t.Error("the log does not say where the report is")
			}
		})
	}
}

// checkImages sees to it that every frame lies in an image.
func (d *driver) checkImages(r ips) {
	d.t.Helper()
	images := r.body["usedImages"].([]any)
	frames := slices.Clone(asList(r.body["lastExceptionBacktrace"]))
	for _, thread := range r.body["threads"].([]any) {
		frames = append(frames, thread.(map[string]any)["frames"].([]any)...)
	}
	for _, f := range frames {
		frame := f.(map[string]any)
		i := int(frame["imageIndex"].(float64))
		if i < 0 || i >= len(images) || frame["imageOffset"].(float64) >= images[i].(map[string]any)["size"].(float64) {
			d.t.Errorf("frame %v lies nowhere", frame)
		}
	}
	for _, image := range images {
		m := image.(map[string]any)
		if m["CFBundleIdentifier"] == conformance && m["uuid"] != r.header["slice_uuid"] {
			d.t.Errorf("the app's image is %v", m)
		}
	}
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

func TestCrashReportsAreReproducible(t *testing.T) {
	texts := map[string]bool{}
	root, reports := t.TempDir(), t.TempDir()
	for range 2 {
		d := drive(t, world.Options{Preinstalled: everyApp(t), Root: root, Reports: reports})
		d.launch(conformance)
		d.open("nav-crashes-button")
		got, _ := d.crashed("crash-exception")
		text, err := os.ReadFile(got.Path)
		d.must(err)
		texts[string(text)] = true
	}
	if files, err := filepath.Glob(filepath.Join(reports, "*.ips")); err != nil || len(files) != 2 || len(texts) != 1 {
		t.Errorf("files are %v, and %d of them differ", files, len(texts))
	}
}

// samples is the folder of real reports.
func samples(t *testing.T) []string {
	t.Helper()
	folder := os.Getenv("IOS_AGENT_SAMPLES")
	if folder == "" {
		folder = "../../../../shared/fixtures"
	}
	files, err := filepath.Glob(filepath.Join(folder, "crash", "*.ips"))
	if err != nil || len(files) == 0 {
		t.Skip("no real crash reports in IOS_AGENT_SAMPLES")
	}
	return files
}

// TestCrashReportsHaveShapeOfRealReports compares ours with each real one: every key of ours that a real one has is of the
// same type there, and what most of them have, ours has.
func TestCrashReportsHaveShapeOfRealReports(t *testing.T) {
	files := samples(t)
	d := crashing(t, t.TempDir())
	_, ours := d.crashed("crash-fatal")
	counts := map[string]int{}
	for _, file := range files {
		theirs := readIPS(t, file)
		compareShape(t, filepath.Base(file)+" header", ours.header, theirs.header)
		compareShape(t, filepath.Base(file), ours.body, theirs.body)
		for key := range theirs.header {
			if _, have := ours.header[key]; !have {
				t.Errorf("%s has %s in its header, ours has not", filepath.Base(file), key)
			}
		}
		for key := range theirs.body {
			counts[key]++
		}
	}
	for key, n := range counts {
		if _, have := ours.body[key]; !have && n > len(files)/2 {
			t.Errorf("%d of %d reports have %s, ours has not", n, len(files), key)
		}
	}
}

func compareShape(t *testing.T, where string, ours, theirs any) {
	t.Helper()
	switch o := ours.(type) {
	case map[string]any:
		m, ok := theirs.(map[string]any)
		if !ok {
			t.Errorf("%s: ours is a mapping, theirs is %T", where, theirs)
			return
		}
		for key, value := range o {
			if other, both := m[key]; both {
				compareShape(t, where+"."+key, value, other)
			}
		}
	case []any:
		l, ok := theirs.([]any)
		if !ok {
			t.Errorf("%s: ours is a list, theirs is %T", where, theirs)
			return
		}
		if len(o) > 0 && len(l) > 0 {
			compareShape(t, where+"[]", o[0], l[0])
		}
	case string:
		if _, ok := theirs.(string); !ok {
			t.Errorf("%s: ours is a string, theirs is %T", where, theirs)
		}
	case float64:
		if _, ok := theirs.(float64); !ok {
			t.Errorf("%s: ours is a number, theirs is %T", where, theirs)
		}
	}
}
