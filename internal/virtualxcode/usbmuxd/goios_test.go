package usbmuxd_test

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielpaulus/go-ios/ios"
	"github.com/danielpaulus/go-ios/ios/crashreport"
	"github.com/danielpaulus/go-ios/ios/forward"
	"github.com/danielpaulus/go-ios/ios/syslog"
	"github.com/sirupsen/logrus"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/usbmuxd"
	"ios-agent/internal/virtualxcode/world"
)

const (
	phone = "00008140-000A61C23E04801C" // by cable
	pad   = "00008130-001474A90C82001C" // over the network, and locked
)

// stand is a virtual usbmuxd on a socket, where go-ios looks for it. A program on the phone answers on echoPort.
type stand struct {
	t      *testing.T
	world  *world.World
	server *usbmuxd.Server
	socket string
}

const echoPort = 8100

func newStand(t *testing.T) *stand {
	t.Helper()
	logrus.SetOutput(io.Discard)
	dir, err := os.MkdirTemp("", "mux") // short, as a socket's path must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	w, err := world.New(world.Options{Clock: world.RequestClock(time.Now()), Root: filepath.Join(dir, "world")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	s := &stand{t: t, world: w, socket: filepath.Join(dir, "usbmuxd")}
	l, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &usbmuxd.Server{Options: usbmuxd.Options{World: w, Open: echo}}
	s.server = server
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { server.Listen(ctx, l) })
	t.Cleanup(func() { cancel(); done.Wait() })
	t.Setenv("USBMUXD_SOCKET_ADDRESS", s.socket)
	return s
}

// echo is a program that says again what it is told.
func echo(_ context.Context, udid string, port int) (net.Conn, error) {
	if udid != phone || port != echoPort {
		return nil, net.ErrClosed
	}
	ours, theirs := net.Pipe()
	go func() {
		defer ours.Close()
		_, _ = io.Copy(ours, ours)
	}()
	return theirs, nil
}

func (s *stand) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stand) fault(name, udid string) {
	s.t.Helper()
	s.must(s.world.AddFault(flaw.Fault{Name: name, Device: udid, Times: flaw.Forever}))
}

// device is a device as go-ios finds it.
func (s *stand) device(udid string) ios.DeviceEntry {
	s.t.Helper()
	d, err := ios.GetDevice(udid)
	s.must(err)
	return d
}

func TestGoIosListsTheDevices(t *testing.T) {
	s := newStand(t)
	list, err := ios.ListDevices()
	s.must(err)
	if len(list.DeviceList) != 2 {
		t.Fatalf("%+v", list)
	}
	one, other := list.DeviceList[0].Properties, list.DeviceList[1].Properties
	if one.SerialNumber != phone || one.ConnectionType != "USB" || other.SerialNumber != pad || other.ConnectionType != "Network" {
		t.Errorf("%+v", list)
	}
	next, end, err := ios.Listen()
	s.must(err)
	defer end()
	if first, err := next(); err != nil || !first.DeviceAttached() || first.Properties.SerialNumber != phone {
		t.Errorf("%+v, %v", first, err)
	}
	s.fault(flaw.DeviceUnplugged, phone)
	if list, err = ios.ListDevices(); err != nil || len(list.DeviceList) != 1 || list.DeviceList[0].Properties.SerialNumber != pad {
		t.Errorf("without its cable the phone is listed: %+v, %v", list, err)
	}
}

func TestGoIosAsksTheDevice(t *testing.T) {
	s := newStand(t)
	all, err := ios.GetValues(s.device(phone))
	s.must(err)
	v := all.Value
	if v.DeviceName != "Ada’s iPhone" || v.ProductVersion != "18.5" || v.UniqueDeviceID != phone || v.SerialNumber != "F2LX7Q9V0D" {
		t.Errorf("%+v", v)
	}
	lockdown, err := ios.ConnectLockdownWithSession(s.device(phone))
	s.must(err)
	defer lockdown.Close()
	if on, err := lockdown.GetValueForDomain("DeveloperModeStatus", "com.apple.security.mac.amfi"); err != nil || on != true {
		t.Errorf("Developer Mode: %v, %v", on, err)
	}
	s.fault(flaw.DeveloperModeOff, phone)
	if on, err := lockdown.GetValueForDomain("DeveloperModeStatus", "com.apple.security.mac.amfi"); err != nil || on != false {
		t.Errorf("Developer Mode: %v, %v", on, err)
	}
	if _, err := lockdown.StartService("com.apple.no.such"); err == nil || !strings.Contains(err.Error(), "InvalidService") {
		t.Error(err)
	}
}

// TestGoIosPairs: the first try has the device ask its owner, the second is trusted, and the record that go-ios made begins sessions.
func TestGoIosPairs(t *testing.T) {
	s := newStand(t)
	s.fault(flaw.DeviceUnpaired, phone)
	d := s.device(phone)
	if err := ios.Pair(d); err == nil || !strings.Contains(err.Error(), "PairingDialog") {
		t.Fatalf("the owner is not asked: %v", err)
	}
	s.must(ios.Pair(d))
	record, err := ios.ReadPairRecord(phone)
	s.must(err)
	if len(record.EscrowBag) == 0 || record.HostID == "" || record.WiFiMACAddress == "" {
		t.Error("go-ios did not save its record")
	}
	all, err := ios.GetValues(d)
	if err != nil || all.Value.UniqueDeviceID != phone {
		t.Errorf("no session with the record of go-ios: %v", err)
	}
	if err := ios.Pair(s.device(pad)); err == nil || !strings.Contains(err.Error(), "PasswordProtected") {
		t.Errorf("a locked device is paired: %v", err)
	}
}

// TestSessionWithoutPairKeyIsRefused: who does not have the key of the pair record gets no session.
func TestSessionWithoutPairKeyIsRefused(t *testing.T) {
	s := newStand(t)
	d := s.device(phone)
	record, err := ios.ReadPairRecord(phone)
	s.must(err)
	other, err := ios.ReadPairRecord(pad)
	s.must(err)
	begin := func(r ios.PairRecord) error { return s.begin(d, r) }
	s.must(begin(record))
	if err := begin(other); err == nil || !strings.Contains(err.Error(), "InvalidHostID") {
		t.Error(err)
	}
	other.HostID = record.HostID
	if err := begin(other); err == nil {
		t.Error("a stolen host id is enough")
	}
}

// begin starts a session with a pair record and asks the device something in it.
func (s *stand) begin(d ios.DeviceEntry, r ios.PairRecord) error {
	s.t.Helper()
	mux, err := ios.NewUsbMuxConnectionSimple()
	s.must(err)
	defer mux.Close()
	lockdown, err := mux.ConnectLockdown(d.DeviceID)
	s.must(err)
	if _, err := lockdown.StartSession(r); err != nil {
		return err
	}
	_, err = lockdown.GetValue("SerialNumber")
	return err
}

// TestFirstForeignClientGetsRSAKeys: our own driver has fast keys until then, and its record stays good.
func TestFirstForeignClientGetsRSAKeys(t *testing.T) {
	s := newStand(t)
	here, there := net.Pipe()
	go s.server.Serve(t.Context(), there)
	own, err := ios.NewUsbMuxConnection(ios.NewDeviceConnectionWithRWC(here)).ReadPair(phone)
	s.must(err)
	d := s.device(phone)
	record, err := ios.ReadPairRecord(phone)
	s.must(err)
	for name, c := range map[string]struct {
		record ios.PairRecord
		key    string
	}{"our own": {own, "-----BEGIN PRIVATE KEY"}, "foreign": {record, "-----BEGIN RSA PRIVATE KEY"}} {
		if !strings.HasPrefix(string(c.record.HostPrivateKey), c.key) {
			t.Errorf("%s record: got a key that begins %.32q, want %q", name, c.record.HostPrivateKey, c.key)
		}
		if err := s.begin(d, c.record); err != nil {
			t.Errorf("%s record: %v", name, err)
		}
	}
}

func TestGoIosForwardsAPort(t *testing.T) {
	s := newStand(t)
	d := s.device(phone)
	ours, theirs := net.Pipe()
	defer ours.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go forward.StartNewProxyConnection(ctx, theirs, d.DeviceID, echoPort)
	if _, err := io.WriteString(ours, "hello"); err != nil {
		t.Fatal(err)
	}
	heard := make([]byte, 5)
	if _, err := io.ReadFull(ours, heard); err != nil || string(heard) != "hello" {
		t.Fatalf("%q, %v", heard, err)
	}
	refused := func(device int, port uint16, code string) {
		t.Helper()
		mux, err := ios.NewUsbMuxConnectionSimple()
		s.must(err)
		defer mux.Close()
		if err := mux.Connect(device, port); err == nil || !strings.HasSuffix(err.Error(), "code:"+code) {
			t.Error(err)
		}
	}
	refused(d.DeviceID, 9, "3")
	refused(99, echoPort, "2")
	s.fault(flaw.ForwardedPortGone, phone)
	refused(d.DeviceID, echoPort, "3")
}

// TestGoIosCopiesCrashReports of an app that crashed on the phone.
func TestGoIosCopiesCrashReports(t *testing.T) {
	s := newStand(t)
	report := filepath.Join(t.TempDir(), "Shop-2026-02-05-143200.ips")
	s.must(os.WriteFile(report, []byte(strings.Repeat("what happened\n", 10_000)), 0o600))
	s.must(s.world.AddCrashReport(phone, world.CrashReport{Path: report, Bundle: "com.iosagent.shop"}))
	dir := t.TempDir()
	s.must(crashreport.DownloadReports(s.device(phone), "*.ips", dir))
	want, err := os.ReadFile(report)
	s.must(err)
	if got, err := os.ReadFile(filepath.Join(dir, filepath.Base(report))); err != nil || string(got) != string(want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestGoIosFollowsTheLog(t *testing.T) {
	s := newStand(t)
	s.must(s.world.Log(phone, world.Entry{Process: "Shop", PID: 231, Message: "before"}))
	log, err := syslog.New(s.device(phone))
	s.must(err)
	defer log.Close()
	s.must(s.world.Log(phone, world.Entry{Process: "Shop", PID: 231, Level: world.LevelError, Message: "no such card"}))
	words, err := log.ReadLogMessage()
	s.must(err)
	entry, err := syslog.Parser()(words)
	if err != nil || entry.Process != "Shop" || entry.PID != "231" || entry.Level != "Error" || entry.Message != "no such card" {
		t.Errorf("%q is read as %+v, %v", words, entry, err)
	}
}
