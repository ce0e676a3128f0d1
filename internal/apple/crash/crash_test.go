package crash

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"ios-agent/test/samples"
)

var (
	rawThread = regexp.MustCompile(`(?m)^Thread \d+(?: Crashed)?:`)
	rawImage  = regexp.MustCompile(`(?m)^\s*0x[0-9a-f]+ -\s+0x[0-9a-f]+ `)
	rawFrame  = regexp.MustCompile(`(?m)^\d+\s+\S.*\s0x[0-9a-f]+ `)
)

func TestSamples(t *testing.T) {
	samples.Check(t, []string{"crash"}, Sniff, Read, func(t *testing.T, s samples.Sample, r *Report) string {
		frames := 0
		for _, c := range append([]*Report{r}, r.More...) {
			for _, x := range append(c.Threads, c.Backtraces...) {
				frames += len(x.Frames)
			}
		}
		if r.Form == FormText {
			if want := len(rawThread.FindAll(s.Data, -1)); len(r.Threads) != want {
				t.Errorf("%d threads, want %d", len(r.Threads), want)
			}
			if want := len(rawImage.FindAll(s.Data, -1)); len(r.Images) != want {
				t.Errorf("%d images, want %d", len(r.Images), want)
			}
			if want := len(rawFrame.FindAll(s.Data, -1)); frames != want {
				t.Errorf("%d frames, want %d", frames, want)
			}
		} else if want := bytes.Count(s.Data, []byte(`"imageIndex"`)) +
			bytes.Count(s.Data, []byte(`"offsetIntoBinaryTextSegment"`)); frames != want {
			t.Errorf("%d frames, want %d", frames, want)
		}
		if r.Exception.Type == "" || r.OS == "" || r.Crashed < 0 {
			t.Errorf("incomplete: %+v", r.Exception)
		}
		at, timed := r.When()
		if !timed || r.Kind != Crash {
			t.Errorf("%s at %q", r.Kind, r.Time)
		}
		return fmt.Sprintf("%s: threads %d, frames %d, images %d, crashed %d\n%s %s in group %s at %s on %s", r.Form, len(r.Threads), frames,
			len(r.Images), r.Crashed, r.Kind, r.ID(s.Name), r.Group(), at.UTC().Format(time.RFC3339), cmp.Or(r.Simulator, "no simulator"))
	})
}

// TestBothReportFormatsDescribeSameCrash reads the two forms of one crash.
func TestBothReportFormatsDescribeSameCrash(t *testing.T) {
	byName := map[string][]byte{}
	for _, s := range samples.Of(t, "crash") {
		byName[s.Name] = s.Data
	}
	for ips, text := range map[string]string{"memoryleaking.ips": "memoryleaking.crash",
		"macsymbolicator-ios.ips": "macsymbolicator-text.crash"} {
		if byName[ips] == nil || byName[text] == nil {
			t.Skipf("%s and %s are not both there", ips, text)
		}
		a, err := Read(byName[ips])
		if err != nil {
			t.Fatal(err)
		}
		b, err := Read(byName[text])
		if err != nil {
			t.Fatal(err)
		}
		if a.App != b.App || a.PID != b.PID || a.BundleID != b.BundleID || a.Version != b.Version ||
			a.Exception.Type != b.Exception.Type || a.Exception.Signal != b.Exception.Signal || a.Crashed != b.Crashed ||
			len(a.Threads) != len(b.Threads) {
			t.Errorf("%s: %+v %+v", ips, a.Exception, b.Exception)
		}
		if a.Group() != b.Group() {
			t.Errorf("%s: groups %s and %s of %v and %v", ips, a.Group(), b.Group(), a.Top(3), b.Top(3))
		}
		x, y := a.CrashedThread(), b.CrashedThread()
		if len(x.Frames) != len(y.Frames) {
			t.Errorf("%s: %d and %d frames", ips, len(x.Frames), len(y.Frames))
		}
	}
}

func TestTextReportAfterJSONHeaderIsRead(t *testing.T) {
	r, err := Read([]byte(`{"app_name":"x{\"","bug_type":"109","os_version":"iPhone OS 12","incident_id":"I"}` +
		"\nIncident Identifier: I\nProcess:             App [7]\nVersion: 1.0 (2)\nException Type:  EXC_CRASH (SIGABRT)\nTriggered " +
		"by Thread:  1\n\n" +
		"Last Exception Backtrace:\n0   A   0x0001 f + 1\n\nThread 0:\n0   A   0x0002 g + 2 (G.swift:12)\n\nThread 1 name:  " +
		"Dispatch queue: q\nThread 1 Crashed:\n0   My App  0x0003 0x1000 + 5\n\nBinary Images:\n0x1 - 0x2 A arm64  <abc> /A\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := r.CrashedThread()
	if r.Form != FormIPS || r.App != "App" || r.PID != 7 || r.OS != "iPhone OS 12" || r.Build != "2" ||
		r.Exception.Signal != "SIGABRT" || c == nil || c.Queue != "q" || c.Frames[0].Image != "My App" || c.Frames[0].Offset != 5 {
		t.Errorf("%+v %+v", r, c)
	}
	if g := r.Threads[0].Frames[0]; g.File != "G.swift" || g.Line != 12 || g.Symbol != "g" || len(r.Backtraces) != 1 ||
		r.Images[0].Arch != "arm64" {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.Text(0), "thread 1 crashed") {
		t.Error(r.Text(0))
	}
	for _, bad := range []string{"", "{}", "text", `{"bug_type":"1"} rest`} {
		if r, err := Read([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, r)
		}
	}
}

func FuzzRead(f *testing.F) {
	samples.Fuzz(f, Sniff, Read, `{"bug_type":"309","app_name":"a"}`+"\n"+
		`{"procName":"a","threads":[{"frames":[{"imageIndex":0,"imageOffset":1}]}],"usedImages":[{"base":1,"path":"/a/b"}],"faultingThread":0}`,
		"Process: A [1]\nException Type: EXC_CRASH (SIGABRT)\nCrashed Thread: 0\nThread 0 Crashed:\n0 A 0x1 f + 1\nBinary Images:\n"+
			"0x1 - 0x2 A <ab> /A\n",
		`{"crashDiagnostics":[{"diagnosticMetaData":{"signal":5},"callStackTree":{"callStacks":[{"threadAttributed":true,`+
			`"callStackRootFrames":[{"binaryUUID":"A","subFrames":[{}]}]}]}}]}`, jetsamReport, hangReport, phoneHang)
}
