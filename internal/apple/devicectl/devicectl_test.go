package devicectl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"ios-agent/internal/apple/jsondoc"
	"ios-agent/test/samples"
)

func TestSamples(t *testing.T) {
	samples.Check(t, []string{"devicectl", "tool-errors"}, Sniff, Read, func(t *testing.T, s samples.Sample, o *Output) string {
		if o.Printed != nil {
			return "printed"
		}
		again, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(anything(t, s.Data), anything(t, again)) {
			t.Errorf("written again it is another document: %.500s", again)
		}
		if r := o.Result; r != nil {
			if want := bytes.Count(s.Data, []byte(`"visibilityClass"`)); want > 0 && len(r.Devices) != want {
				t.Errorf("%d devices, want %d", len(r.Devices), want)
			}
			return fmt.Sprintf("devices %d, apps %d, processes %d", len(r.Devices), len(r.Apps), len(r.Processes))
		}
		return ""
	})
}

func anything(t *testing.T, b []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(jsondoc.Body(b)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

const table = `Devices:
Name            Hostname                         Identifier                             State                Model
-------------   ------------------------------   ------------------------------------   ------------------   ---------------------------
My iPhone       My-iPhone.coredevice.local       92000E00-C38D-50E6-A626-802EC1F42E77   available (paired)   iPhone 16 Pro (iPhone17,1)
Old iPad                                         12000E00-C38D-50E6-A626-802EC1F42E78   unavailable          iPad (iPad7,3)
`

func TestPrintedTableIsRead(t *testing.T) {
	o, err := Read([]byte(table))
	if err != nil || Sniff([]byte(table)) < 50 {
		t.Fatal(err, Sniff([]byte(table)))
	}
	rows := o.Printed.Rows
	if len(rows) != 2 || rows[0]["State"] != "available (paired)" || rows[1]["Hostname"] != "" ||
		rows[1]["Identifier"] != "12000E00-C38D-50E6-A626-802EC1F42E78" || rows[1]["Model"] != "iPad (iPad7,3)" {
		t.Errorf("%q", rows)
	}
}

func TestJSONAfterPrintedTableIsRead(t *testing.T) {
	in := table + "\n" + `{"info":{"outcome":"success","commandType":"devicectl.list.devices"},` +
		`"result":{"devices":[{"identifier":"A","hardwareProperties":{"ecid":18446744073709551615}}]}}`
	o, err := Read([]byte(in))
	if err != nil || o.Result == nil || len(o.Result.Devices) != 1 || o.Result.Devices[0].Hardware.ECID != 1<<64-1 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestDeviceDetailsAreRead(t *testing.T) {
	o, err := Read([]byte(`{"info":{"outcome":"success"},"result":{"identifier":"A","deviceProperties":{"name":"N"},` +
		`"hardwareProperties":{"udid":"U"}}}`))
	if err != nil || o.Result.Details == nil || o.Result.Details.Properties.Name != "N" || o.Result.Details.Hardware.UDID != "U" {
		t.Errorf("%+v, %v", o, err)
	}
}

// Version 5 of the document, of Xcode 27, without the dictionaries that are to go.
func TestJSONVersion5IsRead(t *testing.T) {
	data, err := os.ReadFile("testdata/list-v5.json")
	if err != nil {
		t.Fatal(err)
	}
	o, err := Read(data)
	if err != nil || len(o.Result.Devices) != 3 {
		t.Fatalf("%+v, %v", o, err)
	}
	again, err := json.Marshal(o)
	if err != nil || !reflect.DeepEqual(anything(t, data), anything(t, again)) {
		t.Errorf("written again it is another document: %s, %v", again, err)
	}
	phone, pad, simulator := o.Result.Devices[0].Known(), o.Result.Devices[1].Known(), o.Result.Devices[2].Known()
	want := Properties{Name: "A test iPhone", OS: "27.0", Build: "24A5430a", BootState: "booted", DeveloperMode: "enabled"}
	if !reflect.DeepEqual(phone.Properties, want) {
		t.Errorf("%+v, want %+v", phone.Properties, want)
	}
	if h := phone.Hardware; h.UDID != "00008140-000A1B2C3D4E001C" || h.ECID != 1<<64-1 || h.Reality != "physical" || len(h.Extra) != 1 {
		t.Errorf("%+v", h)
	}
	if c := phone.Connection; c.Pairing != "paired" || c.Transport != "wired" || c.Tunnel != "connected" || c.Address != "fd12:3456:789a::1" {
		t.Errorf("%+v", c)
	}
	if pad.Connection.Tunnel != "unavailable" || pad.Properties.DeveloperMode != "disabled" || pad.Properties.OS != "26.5" {
		t.Errorf("a device that is only remembered: %+v", pad)
	}
	if simulator.Visibility != "Simulator" || simulator.Hardware.Reality != "simulated" {
		t.Errorf("a simulator: %+v", simulator)
	}
	if text := o.Text(2000); !strings.Contains(text, "A test iPhone, iPhone 16 Pro (iPhone17,1), iOS 27.0, paired, wired") {
		t.Error(text)
	}
}

// What is in both forms is read from the old one.
func TestOldFormWinsWhenBothArePresent(t *testing.T) {
	o, err := Read([]byte(`{"info":{"outcome":"success","jsonVersion":5},"result":{"_deprecationNotice":{"replacement":"properties"},` +
		`"identifier":"A","deviceProperties":{"name":"N"},"properties":{"state":{"name":"M"},"hardware":{"udid":"U"}}}}`))
	if err != nil || o.Result.Details == nil {
		t.Fatalf("%+v, %v", o, err)
	}
	if d := o.Result.Details.Known(); d.Properties.Name != "N" || d.Hardware.UDID != "U" {
		t.Errorf("%+v", d)
	}
}

func FuzzRead(f *testing.F) {
	samples.Fuzz(f, Sniff, Read, table, `{"error":{"code":1,"domain":"d","userInfo":{"NSUnderlyingError":{"error":{"code":2}}}},`+
		`"info":{"outcome":"failed"}}`,
		`{"result":{"devices":[{"hardwareProperties":{}}]}}`,
		"10:04:12  Acquired tunnel connection to device.\nLaunched application with a.b bundle identifier.\n")
}
