package simctl_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/simctl"
	"ios-agent/internal/virtualxcode/world"
)

func (s *rig) plan(name string, settings ...string) {
	s.t.Helper()
	set := map[string]string{}
	for _, one := range settings {
		key, value, _ := strings.Cut(one, "=")
		set[key] = value
	}
	if err := s.world.AddFault(flaw.Fault{Name: name, Set: set}); err != nil {
		s.t.Fatal(err)
	}
}

// Each fails once, with these words and this exit status, and works the next time.
func TestArmedFaultFailsOneRun(t *testing.T) {
	for _, c := range []struct {
		fault, says string
		exit        int
		args        []string
	}{
		{flaw.SimctlConnectionInvalid, "CoreSimulatorService connection became invalid.", 53, []string{"list", "-j"}},
		{flaw.CannotSpawn, "(domain=NSMachErrorDomain, code=-308)", 204, []string{"spawn", "booted", "true"}},
		{flaw.ScreenshotFails, "Timeout waiting for screen surfaces", 60, []string{"io", "booted", "screenshot", "a.png"}},
		{flaw.InstallFails, "failed to install", 13, []string{"install", "booted", "Shop.app"}},
		{flaw.LaunchFails, "failed to launch", 1, []string{"launch", "booted", shop}},
		{flaw.DeviceShutsDown, "in current state: Shutting Down", 149, []string{"launch", "booted", shop}},
	} {
		t.Run(c.fault, func(t *testing.T) {
			s := newTool(t)
			s.ok("boot", phone)
			s.ok("install", "booted", "Shop.app")
			s.ok(c.args...)
			s.plan(c.fault)
			out, errout, exit := s.run(c.args...)
			if exit != c.exit || !strings.Contains(errout, c.says) || out != "" {
				t.Errorf("exit %d\n%s%s", exit, out, errout)
			}
			if c.fault == flaw.DeviceShutsDown {
				if err := s.world.Sleep(t.Context(), time.Second); err != nil {
					t.Fatal(err)
				}
				s.ok("boot", phone)
			}
			s.ok(c.args...)
		})
	}
}

func TestVersionMismatchWarningKeepsOutputValid(t *testing.T) {
	s := newTool(t)
	s.plan(flaw.SimctlVersionMismatch)
	out, errout, exit := s.run("list", "-j", "devices")
	if exit != 0 || !json.Valid([]byte(out)) || !strings.Contains(errout, "does not match") {
		t.Errorf("exit %d\n%s", exit, errout)
	}
	if _, errout, _ := s.run("list"); errout != "" {
		t.Errorf("the next one is noisy too: %s", errout)
	}
}

func TestSlowFaultDelaysOneRun(t *testing.T) {
	s := newTool(t)
	s.plan(flaw.SimctlSlow, "seconds=42")
	for _, want := range []time.Duration{42 * time.Second, 0} {
		start := s.world.Now()
		s.ok("list")
		if took := s.world.Now().Sub(start); took != want {
			t.Errorf("it took %s, want %s", took, want)
		}
	}
}

func TestSlowBootTakesTheArmedTime(t *testing.T) {
	s := newTool(t)
	s.plan(flaw.SlowBoot, "seconds=90")
	start := s.world.Now()
	s.ok("boot", phone)
	if took := s.world.Now().Sub(start); took != 90*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestHangingLaunchEndsOnInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTool(t)
		s.ok("boot", phone)
		s.ok("install", "booted", "Shop.app")
		s.plan(flaw.LaunchHang)
		out, _, end := s.background("launch", "booted", shop)
		if exit := end(); exit == 0 || out.String() != "" {
			t.Errorf("exit %d, %s", exit, out)
		}
		if front, err := s.world.Foreground(s.udid()); err != nil || front != world.SpringBoard {
			t.Errorf("in front is %s, %v", front, err)
		}
		s.ok("launch", "booted", shop)
	})
}

func TestLogStreamEndsAfterArmedLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTool(t)
		s.ok("boot", phone)
		s.plan(flaw.LogStreamDies, "lines=2")
		out, _, end := s.background("spawn", "booted", "log", "stream")
		for range 3 {
			if err := s.world.Log(s.udid(), world.Entry{Process: "p", Message: "hello"}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		time.Sleep(time.Second) // of the bubble: the stream looks again every 100 ms
		if n := strings.Count(out.String(), "hello"); n != 2 {
			t.Errorf("it printed %d entries", n)
		}
		if exit := end(); exit != 1 {
			t.Errorf("it ended with %d", exit)
		}
	})
}

func TestLogStreamFloodsWhenArmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTool(t)
		s.ok("boot", phone)
		s.ok("install", "booted", "Shop.app")
		s.ok("launch", "booted", shop)
		s.plan(flaw.LogStreamFloods, "lines=50")
		out, _, end := s.background("spawn", "booted", "log", "stream", "--style", "ndjson", "--predicate", `process == "Shop"`)
		time.Sleep(2 * time.Second) // of the bubble
		end()
		if n := strings.Count(out.String(), `"category":"flood"`); n < 80 || n > 120 {
			t.Errorf("%d lines in two seconds", n)
		}
	})
}

func TestScreenshotFaultsSpoilOnePicture(t *testing.T) {
	s := newTool(t)
	s.ok("boot", phone)
	picture := func() (width int, black bool) {
		s.ok("io", "booted", "screenshot", "a.png")
		data, err := os.ReadFile(filepath.Join(s.dir, "a.png"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		black = true
		for x := 0; x < p.Bounds().Dx(); x += 7 {
			for y := 0; y < p.Bounds().Dy(); y += 7 {
				r, g, b, _ := p.At(x, y).RGBA()
				black = black && r+g+b == 0
			}
		}
		return p.Bounds().Dx(), black
	}
	if width, black := picture(); width != 1206 || black {
		t.Fatalf("a picture is %d wide, black: %v", width, black)
	}
	s.plan(flaw.BlackScreenshot)
	if width, black := picture(); width != 1206 || !black {
		t.Errorf("a black one is %d wide, black: %v", width, black)
	}
	s.plan(flaw.WrongScaleScreenshot)
	if width, black := picture(); width != 402 || black {
		t.Errorf("one of another scale is %d wide, black: %v", width, black)
	}
}

func TestServiceDiedPrintsTheRealMessage(t *testing.T) {
	var errout bytes.Buffer
	if exit := simctl.ServiceDied(&errout, time.Unix(0, 0)); exit != 204 || !strings.Contains(errout.String(),
		"CoreSimulatorService connection interrupted.") ||
		!strings.Contains(errout.String(), "(domain=NSMachErrorDomain, code=-308):\nThe operation couldn’t be completed.") {
		t.Errorf("exit %d\n%s", exit, errout.String())
	}
}
