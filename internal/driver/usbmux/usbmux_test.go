package usbmux_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"howett.net/plist"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/usbmux"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

const (
	phone = "00008140-000A61C23E04801C" // by cable
	pad   = "00008130-001474A90C82001C" // over the network, and locked
)

// rig is the driver over the virtual usbmuxd, in this process.
type rig struct {
	t      *testing.T
	xcode  *virtualxcode.InProcess
	driver *usbmux.Driver
}

func newRig(t *testing.T) *rig {
	t.Helper()
	x, err := virtualxcode.NewInProcess(virtualxcode.InProcessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return &rig{t: t, xcode: x, driver: &usbmux.Driver{Mux: &usbmux.Mux{Connect: x.Usbmux}}}
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) fault(name string) {
	r.t.Helper()
	r.must(r.xcode.Client().AddFault(r.t.Context(), virtualxcode.Fault{Name: name, Device: phone, Times: virtualxcode.Forever}))
}

// says is the list's line of a device.
func (r *rig) says(udid string) string {
	r.t.Helper()
	infos, err := r.driver.List(r.t.Context())
	r.must(err)
	for _, i := range infos {
		if i.UDID == udid {
			h := i.Hardware
			return fmt.Sprint(i.Name, ", ", i.OS, ", ", i.State, ", ", i.Family, ", ", h.Connection, ", ", h.Reach, ", ", h.Pairing, ", ",
				h.DeveloperMode)
		}
	}
	return "nothing"
}

// refuses fails unless an error is a fault of the code that names the device and says what to do.
func (r *rig) refuses(err error, code fault.Code, hint string) {
	r.t.Helper()
	f := fault.From(err)
	if err == nil || f.Code != code || !strings.Contains(f.Message, phone) || !strings.Contains(f.Hint, hint) {
		r.t.Errorf("got %v (%s; %s), want %s with the hint %q", err, f.Code, f.Hint, code, hint)
	}
}

func TestListReportsDeviceStates(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for udid, want := range map[string]string{
		phone: "Ada’s iPhone, iOS 18.5, booted, iPhone, wired, Available, paired, enabled",
		pad:   "Grace’s iPad, iOS 18.5, booted, iPad, localNetwork, Available (WiFi), paired, enabled",
	} {
		if got := r.says(udid); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	r.fault(flaw.DeveloperModeOff)
	if got := r.says(phone); !strings.HasSuffix(got, "paired, disabled") {
		t.Error(got)
	}
	r.fault(flaw.DeviceUnpaired)
	if got := r.says(phone); got != "Ada’s iPhone, iOS 18.5, unpaired, iPhone, wired, Unpaired, unpaired, " {
		t.Error(got)
	}
	r.fault(flaw.DeviceUnplugged)
	if got := r.says(phone); got != "nothing" {
		t.Error(got)
	}
}

// TestListIsEmptyWithoutUsbmuxd: without usbmuxd the list is empty and no error.
func TestListIsEmptyWithoutUsbmuxd(t *testing.T) {
	t.Parallel()
	mux := &usbmux.Mux{Connect: usbmux.Socket(filepath.Join(t.TempDir(), "none"))}
	infos, err := (&usbmux.Driver{Mux: mux}).List(t.Context())
	if err != nil || len(infos) != 0 {
		t.Errorf("%v, %v", infos, err)
	}
	_, err = mux.Dial(t.Context(), phone, 1)
	if !fault.Is(err, fault.ToolMissing) {
		t.Error(err)
	}
}

func TestRefusalsAreFaults(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	mux := r.driver.Mux
	_, err := mux.Dial(t.Context(), phone, 9)
	if refused := (*usbmux.RefusedError)(nil); !errors.As(err, &refused) || refused.Port != 9 {
		t.Error(err)
	}
	_, err = mux.Service(t.Context(), phone, "com.apple.no.such")
	r.refuses(err, fault.Unsupported, hint.Do("doctor", "device", phone))
	r.fault(flaw.DeviceUnpaired)
	_, err = mux.Service(t.Context(), phone, "com.apple.syslog_relay")
	r.refuses(err, fault.DeviceUnpaired, "tap Trust")
	r.fault(flaw.DeviceUnplugged)
	_, err = mux.Dial(t.Context(), phone, 9)
	r.refuses(err, fault.DeviceNotFound, "cable")
}

// TestLogIsFiltered: lines arrive when they are logged, without other processes and lower levels, and non-ASCII text is decoded.
func TestLogIsFiltered(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	logs, err := device.As[device.Logs](r.driver.Open(device.Info{UDID: phone, Name: "Ada’s iPhone"}))
	r.must(err)
	said := make(chan string, 10)
	s, err := logs.FollowLog(t.Context(), device.LogFilter{Process: "Shop", Level: device.LogInfo}, func(l string) { said <- l })
	r.must(err)
	for _, e := range []world.Entry{
		{Process: "Maps", Message: "elsewhere"}, {Process: "Shop", Level: world.LevelDebug, Message: "too little"},
		{Process: "Shop", PID: 7, Level: world.LevelInfo, Subsystem: "com.shop.net", Message: `größer \ ⏎` + "\x1b"},
		{Process: "Shop", PID: 7, Level: world.LevelError, Message: "two\nlines"},
	} {
		r.must(r.xcode.World().Log(phone, e))
	}
	for _, want := range []string{`Shop(net)[7] <Info>: größer \ ⏎` + "\x1b", "Shop[7] <Error>: two", "lines"} {
		select {
		case got := <-said:
			if !strings.HasSuffix(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("nobody says %q", want)
		}
	}
	r.must(s.Close())
	<-s.Done()
	r.must(s.Err())
	r.must(s.Close())
	if name, err := logs.LogName(t.Context(), "com.apple.Preferences"); err != nil || name != "Preferences" {
		t.Errorf("%q, %v", name, err)
	}
	if _, err := logs.LogName(t.Context(), "com.no.such"); !fault.Is(err, fault.AppNotFound) {
		t.Error(err)
	}
	if _, err := logs.FollowLog(t.Context(), device.LogFilter{Subsystems: []string{"a"}}, nil); !fault.Is(err, fault.Unsupported) {
		t.Error(err)
	}
}

// TestCrashReportsAreCopied: the newest reports that the folder lacks, and no file that is not a report or leads elsewhere.
func TestCrashReportsAreCopied(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	source, dir := t.TempDir(), t.TempDir()
	old := time.Date(2026, 2, 5, 14, 32, 0, 0, time.UTC)
	for i, name := range []string{"Shop-old.ips", "Shop-new.ips", "Analytics-2026.ips", "-rf.ips", "a..b.ips", "notes.txt"} {
		path := filepath.Join(source, name)
		r.must(os.WriteFile(path, []byte(strings.Repeat(name, 20_000)), 0o600))
		r.must(os.Chtimes(path, old, old.Add(time.Duration(i)*time.Hour)))
		r.must(r.xcode.World().AddCrashReport(phone, world.CrashReport{Path: path}))
	}
	copies, err := device.As[device.Reports](r.driver.Open(device.Info{UDID: phone, Name: "Ada’s iPhone"}))
	r.must(err)
	if copied, left, err := copies.CopyReports(t.Context(), dir, 1); err != nil || copied != 1 || left != 1 {
		t.Errorf("%d copied, %d left, %v", copied, left, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "Shop-new.ips")); err != nil || string(data) != strings.Repeat("Shop-new.ips", 20_000) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if copied, left, err := copies.CopyReports(t.Context(), dir, 10); err != nil || copied != 1 || left != 0 {
		t.Errorf("%d copied, %d left, %v", copied, left, err)
	}
	if found, err := os.ReadDir(dir); err != nil || len(found) != 2 {
		t.Errorf("%v, %v", found, err)
	}
}

// between is a usbmuxd whose connections a test holds.
type between func(ctx context.Context) (net.Conn, error)

// TestCancelEndsCallToSilentUsbmuxd: a caller waits for a silent usbmuxd no longer than its own limit.
func TestCancelEndsCallToSilentUsbmuxd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var theirs net.Conn
	mux := &usbmux.Mux{Connect: func(context.Context) (net.Conn, error) {
		ours, other := net.Pipe()
		theirs = other
		go func() {
			_, _ = io.CopyN(io.Discard, other, 16)
			cancel()
			_, _ = io.Copy(io.Discard, other)
		}()
		return ours, nil
	}}
	if _, err := mux.Devices(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := theirs.Write([]byte{1}); err == nil {
		t.Error("the connection is left open")
	}
}

// TestHostileUsbmuxdAnswerIsFault: an answer of any length, protocol or content ends a call with a fault, and uses little memory.
func TestHostileUsbmuxdAnswerIsFault(t *testing.T) {
	t.Parallel()
	message := func(length, protocol, kind, tag uint32, body string) string {
		var head []byte
		for _, n := range []uint32{length, protocol, kind, tag} {
			head = binary.LittleEndian.AppendUint32(head, n)
		}
		return string(head) + body
	}
	for name, answer := range map[string]string{
		"nothing":           "",
		"half a header":     "\x10\x00\x00",
		"a negative length": message(0, 1, 8, 1, ""),
		"a huge length":     message(1<<32-1, 1, 8, 1, "x"),
		"a long length":     message(8<<20, 1, 8, 1, "x"),
		"another protocol":  message(16, 0, 3, 1, ""),
		"another request":   message(16, 1, 8, 77, ""),
		"no document":       message(20, 1, 8, 1, "\xff\xfe\x00\x00"),
		"a number":          message(16+38, 1, 8, 1, "<plist><integer>99</integer></plist>  "),
		"a deep list":       message(16+7*40_000, 1, 8, 1, strings.Repeat("<array>", 40_000)),
	} {
		mux := &usbmux.Mux{Connect: func(context.Context) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go func() {
				defer theirs.Close()
				_, _ = io.CopyN(io.Discard, theirs, 16)
				go func() { _, _ = io.Copy(io.Discard, theirs) }()
				_, _ = theirs.Write([]byte(answer)) // the client may have left
			}()
			return ours, nil
		}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := mux.Devices(t.Context())
		runtime.ReadMemStats(&after)
		if f := fault.From(err); err == nil || f.Code == fault.Internal || !strings.Contains(f.Message, "usbmuxd") {
			t.Errorf("%s: got %v, want a fault that names usbmuxd", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 { // of other tests beside it too
			t.Errorf("%s: took %d bytes", name, used)
		}
	}
}

// TestPairRecordStaysSecret: no error has a byte of a broken pair record.
func TestPairRecordStaysSecret(t *testing.T) {
	t.Parallel()
	for _, record := range []string{"SECRET", `<plist version="1.0"><dict><key>HostID</key><string>SECRET</string></dict></plist>`} {
		r := newRig(t)
		forged := &usbmux.Mux{Connect: forging(r.xcode.Usbmux, record)}
		_, err := forged.Service(t.Context(), phone, "com.apple.syslog_relay")
		if err == nil || strings.Contains(fmt.Sprintf("%+v", err), "SECRET") {
			t.Errorf("%+v", err)
		}
	}
}

// TestDeviceWithOtherKeyIsRefused: no session starts with a device that lacks the key of the pair record.
func TestDeviceWithOtherKeyIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	r.must(err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(1)}, &x509.Certificate{}, &key.PublicKey, key)
	r.must(err)
	real, err := readRecord(t.Context(), r.xcode.Usbmux)
	r.must(err)
	real["DeviceCertificate"] = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	record, err := plist.Marshal(real, plist.XMLFormat)
	r.must(err)
	forged := &usbmux.Mux{Connect: forging(r.xcode.Usbmux, string(record))}
	_, err = forged.Service(t.Context(), phone, "com.apple.syslog_relay")
	if err == nil || !strings.Contains(err.Error(), "is not the paired one") {
		t.Error(err)
	}
}

// forging is a usbmuxd that answers with another pair record.
func forging(real between, record string) between {
	return func(ctx context.Context) (net.Conn, error) {
		c, err := real(ctx)
		return &forger{Conn: c, record: record}, err
	}
}

// forger waits for the request for a pair record, and answers it itself.
type forger struct {
	net.Conn
	record string
	answer []byte
	asked  bool
}

func (f *forger) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "ReadPairRecord") {
		f.asked, f.answer = true, muxAnswer(p[12:16], f.record)
		return len(p), nil
	}
	return f.Conn.Write(p)
}

func (f *forger) Read(p []byte) (int, error) {
	if !f.asked {
		return f.Conn.Read(p)
	}
	n := copy(p, f.answer)
	f.answer = f.answer[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func TestSocketDialsUnixAndTCPAddresses(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "mux")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	at := filepath.Join(dir, "m")
	l, err := net.Listen("unix", at)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	for _, address := range []string{at, "UNIX:" + at, tcp.Addr().String()} {
		c, err := usbmux.Socket(address)(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
}
