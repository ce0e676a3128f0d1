package crashes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	room "ios-agent/internal/ops/crashes"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/crashes"
	"ios-agent/test/fakedevice"
)

// stand is the room over folders that a test puts reports into, and a phone with reports of its own.
type stand struct {
	*fakedevice.Room
	reports, drop, hook string
}

func newStand(t *testing.T, of device.Device) *stand {
	t.Helper()
	dir := t.TempDir()
	s := &stand{reports: filepath.Join(dir, "DiagnosticReports"), drop: filepath.Join(dir, "crashes"), hook: filepath.Join(dir, "hook.json")}
	store := telemetry.New(telemetry.Options{Path: filepath.Join(dir, "telemetry.db"), Now: time.Now})
	hook := &crashes.Hook{File: s.hook, Dir: dir}
	watch := crashes.New(crashes.Options{Folders: []string{s.reports}, Drop: s.drop, Store: store, Every: -1})
	t.Cleanup(func() {
		if err := errors.Join(watch.Close(), hook.Close(), store.Close()); err != nil {
			t.Errorf("closing the watcher: %v", err)
		}
	})
	for _, d := range []string{s.reports, s.drop} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	services := room.Services{Watch: watch, Hook: hook, Drop: s.drop}
	s.Room = fakedevice.Open(t, room.New(fakedevice.Reach(t, of), services, time.Now).Ops())
	return s
}

// report is one crash; empty fields are usual ones.
type report struct{ incident, app, function, kind, reason string }

func (r report) text() string {
	app, kind := r.app, r.kind
	if app == "" {
		app = "Shop"
	}
	if kind == "" {
		kind = "309"
	}
	reason := r.reason
	if reason == "" {
		reason = "Fatal error: the cart is empty"
	}
	return fmt.Sprintf(`{"app_name":"%[2]s","bundleID":"com.example.%[2]s","bug_type":"%[4]s","os_version":"iPhone OS 26.0",`+
		`"incident_id":"%[1]s","timestamp":"2026-01-02 15:04:05.00 +0000"}
{"procName":"%[2]s","pid":42,"procPath":"/private/var/%[2]s.app/%[2]s","captureTime":"2026-01-02 15:04:05.1234 +0000",
 "coalitionName":"com.apple.CoreSimulator.SimDevice.AAAAAAAA-0000-0000-0000-000000000001",
 "exception":{"type":"EXC_BREAKPOINT","signal":"SIGTRAP","codes":"0x1, 0x2"},"faultingThread":0,
 "asi":{"libswiftCore.dylib":["%[5]s"]},
 "threads":[{"triggered":true,"frames":[{"imageIndex":1,"imageOffset":8,"symbol":"_assertionFailure","symbolLocation":4},
  {"imageIndex":0,"imageOffset":4096,"symbol":"%[3]s","symbolLocation":12,"sourceFile":"Cart.swift","sourceLine":7}]}],
 "usedImages":[{"base":4294967296,"size":65536,"uuid":"938a8c4a-3be6-3a6b-865d-1e39adbfa134","arch":"arm64","name":"%[2]s",
  "path":"/private/var/%[2]s.app/%[2]s"},
  {"base":1,"size":9,"name":"libswiftCore.dylib","path":"/usr/lib/swift/libswiftCore.dylib"}]}
`, r.incident, app, r.function, kind, reason)
}

// write puts reports into the folder.
func (s *stand) write(all ...report) {
	s.T.Helper()
	for _, r := range all {
		if err := os.WriteFile(filepath.Join(s.reports, r.incident+".ips"), []byte(r.text()), 0o600); err != nil {
			s.T.Fatal(err)
		}
	}
}

func TestCrashesOfOneCauseAreOneGroup(t *testing.T) {
	s := newStand(t, &fakedevice.Paper{})
	var got room.ListCrashesOut
	if e := s.Must("list_crashes", `{}`, &got); e.Stdout != "no crashes" || got.Total != 0 || len(e.Meta.Next) != 0 {
		t.Errorf("got %q with next %q, want no crashes and nothing next", e.Stdout, e.Meta.Next)
	}
	s.write(report{incident: "1", function: "Cart.total()"}, report{incident: "2", function: "Cart.total()"},
		report{incident: "3", function: "List.row()", app: "Maps"})
	e := s.Must("list_crashes", `{}`, &got)
	if got.Total != 3 || len(got.Groups) != 2 || got.More != 0 || !strings.HasPrefix(e.Stdout, "3 crashes in 2 groups\n") {
		t.Fatalf("got %+v and\n%s\nwant 3 crashes in 2 groups", got, e.Stdout)
	}
	if len(e.Meta.Next) == 0 {
		t.Error("got nothing next, want show_crash")
	}
	for _, want := range []string{"  2×  ", "  1×  ", "Cart.total()", "\n  \"Fatal error: the cart is empty\""} {
		if !strings.Contains(e.Stdout, want) {
			t.Errorf("got\n%s\nwant %q in it", e.Stdout, want)
		}
	}
	if strings.Contains(e.Stdout, "others:") || strings.Contains(e.Stdout, "not read:") {
		t.Errorf("got\n%s\nwant nothing about other files", e.Stdout)
	}
	if e = s.Must("list_crashes", `{"app":"Maps"}`, &got); got.Total != 1 || !strings.HasPrefix(e.Stdout, "1 crash in 1 group\n") {
		t.Errorf("of Maps: got %+v and\n%s\nwant 1 crash", got, e.Stdout)
	}
	if s.Must("list_crashes", `{"app":"com.example.Shop"}`, &got); got.Total != 2 {
		t.Errorf("of com.example.Shop: got %d, want 2", got.Total)
	}
	e = s.Run("list_crashes", `{"udid":"AAAAAAAA-0000-0000-0000-000000000002"}`)
	if e.Error == nil || e.Error.Code != fault.DeviceNotFound {
		t.Errorf("of a device that is not there and left no report: got %s, want %s", e.Text(), fault.DeviceNotFound)
	}
	e = s.Must("list_crashes", `{"limit":1}`, &got)
	if len(got.Groups) != 1 || got.More != 1 || got.Total != 3 || !strings.HasPrefix(e.Stdout, "3 crashes in 2 groups\n") {
		t.Errorf("at most one: got %+v and\n%s\nwant one group and one more", got, e.Stdout)
	}
}

func TestOtherReportsAreListedOnlyOnRequest(t *testing.T) {
	s := newStand(t, &fakedevice.Paper{})
	s.write(report{incident: "1", function: "Cart.total()"}, report{incident: "2", function: "Cart.wait()", kind: "298"},
		report{incident: "3", function: "Cart.spin()", kind: "202"})
	var got, all room.ListCrashesOut
	e := s.Must("list_crashes", `{}`, &got)
	s.Must("list_crashes", `{"all":true}`, &all)
	listed := 0
	for _, n := range got.Others {
		listed += n
	}
	unread := 0
	for _, n := range got.Unread {
		unread += n
	}
	if got.Total != 1 || listed+unread != 2 || all.Total != 1+listed {
		t.Errorf("got %+v, and with all %+v, want one crash and the others counted", got, all)
	}
	if listed > 0 && !strings.Contains(e.Stdout, "\nothers: ") || unread > 0 && !strings.Contains(e.Stdout, "\nnot read: ") {
		t.Errorf("got\n%s\nwant the others told", e.Stdout)
	}
}

func TestLongReasonIsCutInTheListOnly(t *testing.T) {
	s := newStand(t, &fakedevice.Paper{})
	long := strings.Repeat("empty ", 60)
	s.write(report{incident: "1", function: "Cart.total()", reason: long})
	list, show := s.Must("list_crashes", `{}`, nil), s.Must("show_crash", `{}`, nil)
	if strings.Contains(list.Stdout, strings.TrimSpace(long)) || !strings.Contains(show.Stdout, "reason: \""+strings.TrimSpace(long)) {
		t.Errorf("got\n%s\nand\n%s\nwant it whole in the second only", list.Stdout, show.Stdout)
	}
}

func TestSinceMustBeATime(t *testing.T) {
	s := newStand(t, &fakedevice.Paper{})
	for _, name := range []string{"list_crashes", "show_crash"} {
		if f := s.Refused(name, `{"since":"yesterday"}`, fault.InvalidInput, "since"); f.Details["field"] != "since" {
			t.Errorf("%s: got the field %v, want since", name, f.Details["field"])
		}
	}
	s.write(report{incident: "1", function: "Cart.total()"})
	var got room.ListCrashesOut
	if s.Must("list_crashes", `{"since":"2026-01-02T15:04:05Z"}`, &got); got.Total != 1 {
		t.Errorf("since before: got %d, want 1", got.Total)
	}
	if s.Must("list_crashes", `{"since":"2026-01-02T15:04:07Z"}`, &got); got.Total != 0 {
		t.Errorf("since after: got %d, want none", got.Total)
	}
}

func TestShowCrashReportsReasonAndStack(t *testing.T) {
	s := newStand(t, &fakedevice.Paper{})
	s.Refused("show_crash", `{}`, fault.CrashNotFound, "no crash report found", hint.Do("list_crashes", "all", true))
	s.write(report{incident: "1", function: "Cart.total()"})
	var got room.ShowCrashOut
	e := s.Must("show_crash", `{}`, &got)
	want := fmt.Sprintf("crash %s of group %s, %s\nShop com.example.Shop, pid 42, AAAAAAAA-0000-0000-0000-000000000001, ", got.ID, got.Group,
		got.Time.Format(time.RFC3339))
	if !strings.HasPrefix(e.Stdout, want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", e.Stdout, want)
	}
	for _, line := range []string{
		"\nreason: \"Fatal error: the cart is empty\"\n", "\nin the app:\n  ", "Cart.total()",
		"\nreport: " + filepath.Join(s.reports, "1.ips") + "\n", "\nstack:\n  0 ", "\n  1 ", ", 0x1, 0x2\n",
	} {
		if !strings.Contains(e.Stdout, line) {
			t.Errorf("got\n%s\nwant %q in it", e.Stdout, line)
		}
	}
	if strings.Contains(e.Stdout, "missing:") || got.Missing != nil {
		t.Errorf("got the missing symbols %q, want none: nobody looked", got.Missing)
	}
	for _, id := range []string{got.ID, got.Group, got.ID[:4]} {
		var again room.ShowCrashOut
		if s.Must("show_crash", `{"crash_id":"`+id+`"}`, &again); again.ID != got.ID {
			t.Errorf("%s: got %s, want %s", id, again.ID, got.ID)
		}
	}
	s.Refused("show_crash", `{"crash_id":"zzzz"}`, fault.CrashNotFound, `unknown crash report "zzzz"`, hint.Do("list_crashes"))
	s.Refused("show_crash", `{"app":"Maps"}`, fault.CrashNotFound, "no crash report found")
}

func TestLongStackIsCut(t *testing.T) {
	out := room.ShowCrashOut{Missing: []string{"symbols of Shop"}}
	for i := range 20 {
		out.Stack = append(out.Stack, crashes.Frame{Symbol: fmt.Sprintf("f%d()", i)})
	}
	text := out.Text()
	if !strings.Contains(text, "  11 ") || strings.Contains(text, "f12()") || !strings.Contains(text, "\nmissing: symbols of Shop\n") ||
		strings.Contains(text, "reason:") || strings.Contains(text, "in the app:") || strings.Contains(text, "pid") {
		t.Errorf("got\n%s\nwant 12 frames of 20, what is missing, and nothing that is not known", text)
	}
}

func TestHookIsSetShownAndRemoved(t *testing.T) {
	s := newStand(t, &fakedevice.Paper{})
	var got room.CrashHookOut
	none := "no program runs for crashes; set one: " + hint.Do("set_crash_hook", "argv", []string{"PROGRAM"})
	if e := s.Must("show_crash_hook", `{}`, &got); e.Stdout != none || got.Argv == nil {
		t.Errorf("got %q (%v), want %q and an empty list", e.Stdout, got.Argv, none)
	}
	program := filepath.Join(t.TempDir(), "on-crash")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	argv, err := json.Marshal(map[string]any{"argv": []string{program, "--quiet"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range [][2]string{{"set_crash_hook", string(argv)}, {"show_crash_hook", `{}`}} {
		if e := s.Must(call[0], call[1], nil); e.Stdout != "runs for each new crash, without a shell: "+program+" --quiet" {
			t.Errorf("%s: got %q, want the program with its argument", call[0], e.Stdout)
		}
	}
	if e := s.Must("remove_crash_hook", `{}`, nil); e.Stdout != none {
		t.Errorf("got %q, want %q", e.Stdout, none)
	}
	if e := s.Must("show_crash_hook", `{}`, nil); e.Stdout != none {
		t.Errorf("after: got %q, want %q", e.Stdout, none)
	}
	s.Refused("set_crash_hook", `{"argv":["/no/such/program"]}`, fault.ToolMissing, `cannot find the program "/no/such/program"`)
	if err := os.WriteFile(s.hook, []byte("no JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Refused("show_crash_hook", `{}`, fault.PathError, "cannot read the crash hook in "+s.hook, hint.Do("remove_crash_hook"))
}

// handheld is a physical phone that keeps reports.
type handheld struct {
	*fakedevice.Paper
	copied, left, most int
	err                error
	dir                string
}

func (h *handheld) Info() device.Info {
	info := h.Paper.Info()
	info.Type = device.TypePhysical
	return info
}

func (h *handheld) CopyReports(_ context.Context, dir string, most int) (copied, left int, err error) {
	h.dir, h.most = dir, most
	if h.err == nil {
		h.err = os.WriteFile(filepath.Join(dir, "9.ips"), []byte(report{incident: "9", function: "Cart.far()"}.text()), 0o600)
	}
	return h.copied, h.left, h.err
}

// ofPhone names the phone: a physical one is never taken by itself.
const ofPhone = `{"udid":"` + fakedevice.UDID + `"}`

func TestPullCopiesPhysicalDeviceReports(t *testing.T) {
	phone := &handheld{Paper: &fakedevice.Paper{}, copied: 1}
	s := newStand(t, phone)
	var got room.PullCrashesOut
	e := s.Must("pull_crashes", ofPhone, &got)
	want := filepath.Join(s.drop, fakedevice.UDID)
	if got.Path != want || phone.dir != want || phone.most != 20 || got.Copied != 1 || got.UDID != fakedevice.UDID {
		t.Errorf("got %+v in %s (at most %d), want 1 in %s (at most 20)", got, phone.dir, phone.most, want)
	}
	if e.Stdout != "copied 1 report to "+want {
		t.Errorf("got %q, want how many were copied where", e.Stdout)
	}
	var listed room.ListCrashesOut
	if s.Must("list_crashes", `{}`, &listed); listed.Total != 1 {
		t.Errorf("got %d crashes, want the one that was copied", listed.Total)
	}
	phone.left = 3
	e = s.Must("pull_crashes", `{"limit":2,"udid":"`+fakedevice.UDID+`"}`, nil)
	if phone.most != 2 || !strings.HasSuffix(e.Stdout, "; 3 more are on the device: a higher "+hint.Field("limit")+" copies more") {
		t.Errorf("got %q with the limit %d, want 3 more told", e.Stdout, phone.most)
	}
	phone.err = fault.New(fault.DriverFailed, "the cable is out")
	s.Refused("pull_crashes", ofPhone, fault.DriverFailed, "the cable is out")
}

func TestPullRefusesSimulator(t *testing.T) {
	s := newStand(t, &fakedevice.Paper{})
	s.Refused("pull_crashes", `{}`, fault.Unsupported, "Paper Phone is a simulator: this Mac has its crash reports already",
		"list them: "+hint.Do("list_crashes"))
	s.Refused("pull_crashes", `{"udid":"X"}`, fault.DeviceNotFound, "X")
	plain := newStand(t, physical{&fakedevice.Paper{}})
	plain.Refused("pull_crashes", ofPhone, fault.Unsupported, "which cannot copy crash reports")
}

// physical is a physical phone that gives no reports.
type physical struct{ *fakedevice.Paper }

func (p physical) Info() device.Info {
	info := p.Paper.Info()
	info.Type = device.TypePhysical
	return info
}
