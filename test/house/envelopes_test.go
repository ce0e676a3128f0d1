package house_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/internal/surface/wording"
	"ios-agent/internal/telemetry"
	"ios-agent/test/drivertest"
	"ios-agent/test/goldenrows"
	"ios-agent/test/house"
)

// scene writes the answers of some calls down, whole and in the order of their bytes, less what differs from run to run.
type scene struct {
	*house.House
	t   *testing.T
	got strings.Builder
}

// volatile is what differs from run to run, and what stands for it.
var volatile = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(\\?"(?:took|waited|looked|elapsed|duration)_ms\\?"):[0-9.]+`), "$1:0"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[+-]\d\d:\d\d)`), "TIME"},
	{regexp.MustCompile(`\d\d:\d\d:\d\d(\.\d+)?`), "CLOCK"},
	{regexp.MustCompile(`\d{8}-\d{6}\.\d+`), "MOMENT"},
	{regexp.MustCompile(`took \d+ ms`), "took N ms"},
	{regexp.MustCompile(`(process|"pid":|"processId":) ?\d+`), "$1 PID"},
	{regexp.MustCompile(`(in|after|held for|at most) \d[0-9.]*m?\d* ?s\b`), "$1 N s"},
	{regexp.MustCompile(`"data":"[^"]*"`), `"data":"DATA"`},
	{regexp.MustCompile(`("message":|is running: )"?[^"\\]*( began|: wait.{0,20}|step \d of \d[^"\\]*)"?`), "${1}PROGRESS"},
	{regexp.MustCompile(`("age_seconds"|"epoch"):\d+`), "$1:0"},
	{regexp.MustCompile(`("after_line\\*":)\d+`), "${1}0"}, // a line of an earlier step's request may come during this one
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
}

func (s *scene) write(heading string, e op.Envelope) {
	s.t.Helper()
	text := goldenrows.Compact(s.t, e) + "\n"
	if told := e.Text(); told != e.Stdout {
		text += told + "\n"
	}
	text = strings.ReplaceAll(text, s.Home.String(), "HOME")
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.instead)
	}
	fmt.Fprintf(&s.got, "> %s\n%s\n", heading, text)
}

// call makes a call and writes its answer down.
func (s *scene) call(session, name string, input in) op.Envelope {
	s.t.Helper()
	e := s.Call(session, name, input)
	s.write(strings.TrimSpace(session+" "+name+" "+goldenrows.Compact(s.t, input)), e)
	return e
}

// begin makes a call that becomes a job. Its first answer may come before or after the job's end, so that only the name is looked at.
func (s *scene) begin(session, name, job string, input in) {
	s.t.Helper()
	var got op.JobOut
	if e := s.Call(session, name, input); e.Error != nil || json.Unmarshal(e.Result, &got) != nil || got.Job != job {
		s.t.Fatalf("%s: got %s and %v, want the job %s", name, e.Result, e.Error, job)
	}
}

func (s *scene) same(name string) {
	s.t.Helper()
	goldenrows.Same(s.t, filepath.Join("testdata", "envelopes", name+".golden"), s.got.String())
}

// TestStepEnvelopesMatchGolden: what drives a device, what looks, what is refused, and what is remembered of it.
func TestStepEnvelopesMatchGolden(t *testing.T) {
	t.Parallel()
	s := &scene{House: house.New(t), t: t}
	s.call("ada", "boot_device", in{"sim": house.Device})
	s.call("ada", "launch_app", in{"bundle_id": drivertest.Conformance})
	s.call("ada", "snapshot", in{"budget": 150})
	s.call("ada", "tap_element", in{"label": "Tap Me"})
	s.call("ada", "tap_element", in{"label": "Absent", "timeout_ms": 10})
	s.call("ada", "tap_element", in{"x": 10})
	s.call("ada", "tap_element", in{"label": "Delete", "expect_change": true})
	for _, id := range []string{"s1", "s2", "s3", "s4", "s5", "s99"} {
		s.call("ada", "show_step", in{"step": id})
	}
	s.call("bob", "show_step", in{"step": "s2"})
	s.call("bob", "home", in{"sim": house.Device})
	s.call("bob", "get_element", in{"sim": house.Device, "index": 2, "type": "Button"})
	s.call("ada", "tap_element", in{"label": "Text Input"})
	s.call("ada", "fill", in{"identifier": "text-password-field", "text": "hunter2"})
	s.call("ada", "show_step", in{"step": "s7"})
	s.call("ada", "batch", in{"steps": []string{"home", "launch " + drivertest.Conformance, "snapshot --budget 150"}})
	s.call("ada", "batch", in{"steps": []string{"tap --label Delete", "tap --label Absent --timeout-ms 10", "home"}})
	s.call("ada", "batch", in{"steps": []string{"boot"}})
	s.call("ada", "show_step", in{"step": "s10"})
	s.call("ada", "audit", in{"steps": []string{"tap --label Alerts"}, "limit": 2})
	s.call("ada", "terminate_app", in{"bundle_id": drivertest.Conformance})
	s.call("ada", "read_events", in{"limit": 5, "cursor": "3"})
	s.same("steps")
}

// TestNoticeEnvelopesMatchGolden: what changed meanwhile, what the app logged, early and late, and secrets in it.
func TestNoticeEnvelopesMatchGolden(t *testing.T) {
	t.Parallel()
	h, _, feed := listening(t, failing)
	s := &scene{House: h, t: t}
	h.Secrets.Add("4711-geheim", "•••")
	fail := func(messages ...string) {
		for _, m := range messages {
			feed.Add(telemetry.Entry{Process: "Shop", Level: telemetry.Error, Message: m})
		}
	}
	s.call("ada", "launch_app", in{"bundle_id": shop})
	fail("late 4711-geheim")
	s.call("ada", "get_element", in{"label": "Log in"})
	fail("one", "two")
	s.call("ada", "read_logs", in{"level": "error"})
	s.call("ada", "show_step", in{"step": "s1"})
	fail("three")
	s.call("ada", "batch", in{"steps": []string{"tap --label 'Continue as guest'"}})
	fail("four", "five")
	s.call("ada", "get_element", in{"label": "Add Tea"})
	fail("six")
	s.call("bob", "get_element", in{"sim": house.Device, "index": 2, "type": "Button"})
	s.call("ada", "show_step", in{"step": "4711-geheim"})
	s.same("notices")

	s = &scene{House: late(t), t: t}
	s.call("ada", "tap_element", in{"label": "Toggle Visibility"})
	s.call("ada", "snapshot", in{"budget": 150})
	s.same("meanwhile")
}

// TestRequestEnvelopesMatchGolden: those of a step, and those that ended later.
func TestRequestEnvelopesMatchGolden(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	s := &scene{House: w.House, t: t}
	udid := w.Boot("a", shop)
	w.Must("a", "proxy_start", nil)
	w.Must("a", "install_proxy_cert", nil)
	w.owner.Store(&udid)
	s.call("a", "home", nil)
	s.call("a", "launch_app", in{"bundle_id": shop})
	w.send(http.MethodGet, "/products", "")
	w.send(http.MethodPost, "/broken/order", "")
	s.call("a", "get_element", in{"label": "Log in"})
	w.send(http.MethodPost, "/broken/a", "")
	w.send(http.MethodPost, "/broken/b", "")
	s.call("a", "home", nil)
	s.call("a", "show_step", in{"step": "last"})
	s.call("b", "get_element", in{"udid": udid, "index": 2, "type": "Button"})
	s.same("requests")
}

// TestJobEnvelopesMatchGolden: the job's name, its state, its answer, and its end.
func TestJobEnvelopesMatchGolden(t *testing.T) {
	t.Parallel()
	s := &scene{House: house.New(t, house.Options{JobAfter: -1}), t: t}
	s.Boot("ada", shop)
	s.begin("ada", "batch", "job3", in{"steps": []string{"tap --label 'Continue as guest'", "home"}})
	s.call("ada", "job_wait", in{"job": "job3"})
	s.call("ada", "job_wait", in{"job": "job1"})
	s.call("ada", "job_status", in{"job": "job1"})
	s.call("ada", "job_cancel", in{"job": "job1"})
	s.call("bob", "job_wait", in{"job": "job1"})
	s.begin("ada", "audit", "job4", in{"fail_under": 100, "limit": 1})
	s.call("ada", "job_wait", in{"job": "job4"})
	s.call("ada", "job_status", in{"job": "job4"})
	s.same("jobs")
}

// TestOtherEnvelopesMatchGolden: what is refused before it begins, streams, views, and what needs no device.
func TestOtherEnvelopesMatchGolden(t *testing.T) {
	t.Parallel()
	s := &scene{House: house.New(t), t: t}
	s.call("ada", "tap_elemnt", nil)
	s.call("ada", "tap_element", in{"nothing": 1})
	s.call("ada", "events", nil)
	s.call("ada", "snapshot", nil)
	s.call("a\x1bda", "snapshot", nil)
	s.call("ada", "health", nil)
	s.Must("ada", "session_set_defaults", in{"simulatorName": house.Device})
	s.call("ada", "boot_sim", nil)
	s.call("ada", "launch_app_sim", in{"bundleId": shop})
	s.call("ada", "snapshot_ui", nil)
	s.call("ada", "quern_tap_element", in{"label": "Continue as guest"})
	s.call("ada", "take_screenshot", nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	all, said := op.Local{Catalogue: s.Product.Catalogue, Session: "ada"}, wording.Shell(s.Product.Catalogue)
	s.write("ada stream events", said.Envelope(all.Stream(ctx, "events", []byte(`{}`), nil), nil))
	s.write("ada stream snapshot", said.Envelope(all.Stream(t.Context(), "snapshot", []byte(`{}`), nil), nil))
	s.write("ada stream health", said.Envelope(all.Stream(t.Context(), "health", []byte("\xff"), nil), nil))
	s.same("other")
}
