package xctrace_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/apple/xctrace"
	"ios-agent/internal/machine/host"
)

const sample = `== Devices ==
My Mac (6A1D5C0E-1111-2222-3333-444455556666)
Ada’s iPhone (16 Pro) (18.5) (00008140-000A61C23E04801C)
Old (12.5.7) (d5b9e4a1c0ffee00112233445566778899aabbcc)

== Devices Offline ==
Grace’s iPad (18.5) (00008130-001474A90C82001C)

== Simulators ==
iPhone 16 Simulator (18.5) (0F8FAD5B-D9CB-469F-A165-70867728950E)
iPhone 16 Simulator (18.5) + Apple Watch (11.5) (0F8FAD5B-D9CB-469F-A165-70867728950E)
`

func TestReadParsesDeviceSections(t *testing.T) {
	want := []xctrace.Device{
		{Name: "Ada’s iPhone (16 Pro)", Version: "18.5", UDID: "00008140-000A61C23E04801C"},
		{Name: "Old", Version: "12.5.7", UDID: "d5b9e4a1c0ffee00112233445566778899aabbcc"},
		{Name: "Grace’s iPad", Version: "18.5", UDID: "00008130-001474A90C82001C", Offline: true},
	}
	for name, text := range map[string]string{"as it is": sample, "with returns": strings.ReplaceAll(sample, "\n", "\r\n")} {
		if got := xctrace.Read([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := xctrace.Read([]byte("Ada (18.5) (00008140-000A61C23E04801C)\n")); got != nil {
		t.Errorf("a line outside every section was read: %+v", got)
	}
}

// runner keeps the command line and answers with a text.
type runner struct {
	argv []string
	text string
	err  error
}

func (r *runner) Run(_ context.Context, c host.Cmd) (host.Result, error) {
	r.argv = append([]string{c.Name}, c.Args...)
	return host.Result{Stdout: []byte(r.text)}, r.err
}

func TestListRunsXctraceAndKeepsExitError(t *testing.T) {
	r := &runner{text: sample}
	devices, err := xctrace.Tool{Run: r, Xcrun: "/bin/xcrun"}.List(t.Context())
	if err != nil || len(devices) != 3 || strings.Join(r.argv, "|") != "/bin/xcrun|xctrace|list|devices" {
		t.Error(devices, err, r.argv)
	}
	r.err = &host.ExitError{Name: "xcrun", Code: 72}
	var exit *host.ExitError
	if _, err := (xctrace.Tool{Run: r, Xcrun: "xcrun"}).List(t.Context()); !errors.As(err, &exit) {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("== Devices ==\n (1) ()\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, d := range xctrace.Read(data) {
			if d.Name == "" || d.Version == "" || len(d.UDID) < 8 {
				t.Errorf("half a device: %+v", d)
			}
		}
	})
}
