package idbwire_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"ios-agent/internal/driver/idbwire"
)

// messages are all that we read, and one of each kind of field.
func messages() []any {
	app := idbwire.DestinationApp
	path := "/a/b.app"
	return []any{
		&idbwire.TargetDescriptionResponse{Target: &idbwire.TargetDescription{UDID: "U", Screen: &idbwire.ScreenDimensions{Density: 3}}},
		&idbwire.AccessibilityInfoRequest{Point: &idbwire.Point{X: -1.5}, Keys: []string{"a", "", "b"}, Backend: 3},
		&idbwire.HIDEvent{Press: &idbwire.HIDPress{Action: &idbwire.HIDPressAction{Key: &idbwire.HIDKey{Keycode: 225}}, Direction: 1}},
		&idbwire.InstallRequest{Destination: &app},
		&idbwire.InstallRequest{Payload: &idbwire.Payload{FilePath: &path}},
		&idbwire.ListAppsResponse{Apps: []*idbwire.App{{BundleID: "a.b", PID: 1 << 60}, {}}},
		&idbwire.LaunchRequest{Start: &idbwire.LaunchStart{Env: map[string]string{"A": "1", "B": ""}, ForegroundIfRunning: true}},
		&idbwire.ScreenshotResponse{Data: []byte{1, 2, 3}},
		&idbwire.RecordRequest{Stop: &idbwire.Empty{}},
	}
}

// TestDecodeRestoresEncodedMessage: Decode restores the encoded message, including zero values that are present.
func TestDecodeRestoresEncodedMessage(t *testing.T) {
	t.Parallel()
	for _, m := range messages() {
		again := reflect.New(reflect.TypeOf(m).Elem()).Interface()
		if err := idbwire.Read(bytes.NewReader(idbwire.Frame(m)), again); err != nil || !reflect.DeepEqual(m, again) {
			t.Errorf("%+v became %+v: %v", m, again, err)
		}
	}
}

// FuzzRead reads frames of unknown origin: no panic, a cut frame is an error, and a decoded message decodes the same again.
func FuzzRead(f *testing.F) {
	for _, m := range messages() {
		f.Add(idbwire.Frame(m))
	}
	f.Add([]byte{0, 0xFF, 0xFF, 0xFF, 0xFF, 1})
	f.Add([]byte{1, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, m := range messages() {
			one, two := reflect.New(reflect.TypeOf(m).Elem()).Interface(), reflect.New(reflect.TypeOf(m).Elem()).Interface()
			err := idbwire.Read(bytes.NewReader(data), one)
			if errors.Is(err, io.EOF) && len(data) > 0 {
				t.Fatalf("%d bytes are taken for none", len(data))
			}
			if err != nil {
				continue
			}
			again := idbwire.Frame(one)
			if err := idbwire.Read(bytes.NewReader(again), two); err != nil || !bytes.Equal(idbwire.Frame(two), again) {
				t.Fatalf("%+v became %+v: %v", one, two, err)
			}
		}
	})
}

// FuzzStatus: Unescape restores a status message; invalid text is replaced.
func FuzzStatus(f *testing.F) {
	f.Add("No keycode found for ü: 100%")
	f.Fuzz(func(t *testing.T, text string) {
		if got := idbwire.Unescape(idbwire.Escape(text)); got != strings.ToValidUTF8(text, "\ufffd") {
			t.Errorf("%q became %q", text, got)
		}
		idbwire.Unescape(text)
	})
}
