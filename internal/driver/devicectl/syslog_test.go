package devicectl_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/devicectl"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// TestTheLogThroughARelay: where a program is installed that shows the log, a device has one; else it says that it has not.
func TestTheLogThroughARelay(t *testing.T) {
	dir := t.TempDir()
	const script = "#!/bin/sh\necho '[connected:'$2']'\necho \"asked: $*\"\nexec sleep 1000\n"
	for _, name := range []string{"idevicesyslog", "pymobiledevice3"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	h, err := host.New(host.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	open := func(has string) device.Device {
		d := devicectl.New(devicectl.Options{Host: h, Installed: func(name string) bool { return name == has }})
		return d.Open(device.Info{UDID: "0000-AB", Name: "phone", Type: device.TypePhysical})
	}
	for has, want := range map[string]string{
		"idevicesyslog": "asked: -u 0000-AB -p My Shop", "pymobiledevice3": "asked: syslog live --udid 0000-AB -pn My Shop",
	} {
		logs, err := device.As[device.Logs](open(has))
		if err != nil {
			t.Fatal(err)
		}
		said := make(chan string, 10)
		s, err := logs.FollowLog(t.Context(), device.LogFilter{Process: "My Shop"}, func(line string) { said <- line })
		if err != nil {
			t.Fatal(err)
		}
		select {
		case line := <-said:
			if line != want {
				t.Errorf("%s: %q", has, line)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s is silent", has)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := logs.FollowLog(t.Context(), device.LogFilter{Process: "-x"}, nil); !fault.Is(err, fault.InvalidInput) {
			t.Error(err)
		}
	}
	if _, err := device.As[device.Logs](open("neither")); !fault.Is(err, fault.Unsupported) {
		t.Error(err)
	}
}
