package agentwire

import (
	"bytes"
	"encoding/hex"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// vector is one line of a golden file.
type vector struct {
	what, name string
	frame      []byte
}

// version and id tell how the frame is made: a name that ends in @N is a frame of version 2.
func (v vector) version() (uint16, uint32) {
	_, id, two := strings.Cut(v.name, "@")
	if !two {
		return 1, 0
	}
	n, _ := strconv.Atoi(id)
	return 2, uint32(n)
}

func readVectors(t testing.TB, file string) []vector {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []vector
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		frame, err := hex.DecodeString(strings.Join(f[2:], ""))
		if err != nil {
			t.Fatalf("%s: %s: %v", file, f[1], err)
		}
		out = append(out, vector{f[0], f[1], frame})
	}
	return out
}

var goldenRequests = map[string]Request{
	"heartbeat":              &Heartbeat{},
	"tap-coord":              &TapCoord{100, -42},
	"tap-element":            &TapElement{Selector: "ok"},
	"tap-element-timeout":    &TapElement{"ok", new(uint64(5000))},
	"tap-by-label-timeout":   &TapByLabel{"OK", new(uint64(250))},
	"tap-with-type":          &TapWithType{Selector: "ok", ByLabel: true, Type: "Button"},
	"type-text":              &TypeText{"hé"},
	"swipe":                  &Swipe{195, 600, 195, 300, nil},
	"swipe-seconds":          &Swipe{195, 600, 195, 300, new(0.3)},
	"get-value":              &GetValue{Selector: "f"},
	"get-value-type-timeout": &GetValue{"f", false, new("TextField"), new(uint64(1))},
	"long-press":             &LongPress{10, 20, 1},
	"dump-tree":              &DumpTree{},
	"screenshot":             &Screenshot{},
	"set-target":             &SetTarget{"a.b"},
	"find-element":           &FindElement{Selector: "x"},
	"get-target-info":        &GetTargetInfo{},
	"device-udid":            &DeviceUDID{},
	"hello":                  &Hello{2, "tk", "cli"},
	"heartbeat@1":            &Heartbeat{},
	"observe@7":              &Observe{StableMS: 300, MinMS: 100, MaxMS: 5000},
	"double-tap@11":          &DoubleTap{100, 200},
	"clear@12":               &Clear{},
	"set-value@13":           &SetValue{10, 20, "0.5"},
	"key@14":                 &Key{"a", Command | Shift, 2},
	"drag@15":                &Drag{10, 20, 30, 40, 0.5, 100, 1},
	"pinch@16":               &Pinch{195, 400, 2, 1},
	"alert@17":               &Alert{PressButton, "OK"},
	"button@18":              &Button{"home", 0},
	"rotate@19":              &Rotate{"portrait"},
}

var goldenResponses = map[string]Response{
	"ok":                &OK{},
	"error":             &ErrorText{"no"},
	"tree":              &Tree{JSON: "[]"},
	"screenshot":        &Image{[]byte{0x89, 0x50}},
	"value-none":        &Value{},
	"value":             &Value{new("Hi")},
	"element-null":      &Found{JSON: "null"},
	"target-info":       &TargetInfo{"{}"},
	"bare-error":        &ErrorText{"no"},
	"welcome":           &Welcome{2, "{}"},
	"unauthorized":      &Fault{CodeUnauthorized, "no"},
	"ok@7":              &OK{},
	"fault@8":           &Fault{CodeNotHittable, "no"},
	"observation@9":     &Observation{true, 300, 3, 2, "a", "r", "[]"},
	"tree-truncated@10": &Tree{"[]", 5},
	"alert-none@17":     &AlertState{"null"},
	"heartbeat@7":       nil,
}

func TestGoldenVectors(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range []string{"testdata/v1.txt", "testdata/v2.txt"} {
		for _, v := range readVectors(t, file) {
			seen[v.what+" "+v.name] = true
			t.Run(v.what+"/"+v.name, func(t *testing.T) { vectorChecks[v.what](t, v) })
		}
	}
	if want := len(goldenRequests) + len(goldenResponses) + 1; len(seen) != want {
		t.Errorf("%d vectors in the files, %d in the test", len(seen), want)
	}
}

var vectorChecks = map[string]func(*testing.T, vector){
	"request":  checkRequest,
	"response": func(t *testing.T, v vector) { checkResponse(t, v); checkResponseBytes(t, v) },
	"accepted": checkResponse,
	"refused":  checkRefused,
}

// stream is a Conn that reads the vector's frame and records what is written.
func stream(v vector) (*Conn, *bytes.Buffer, uint32) {
	var written bytes.Buffer
	version, id := v.version()
	c := NewConn(struct {
		*bytes.Reader
		*writer
	}{bytes.NewReader(v.frame), &writer{&written}})
	c.SetVersion(version)
	return c, &written, id
}

// writer hides the other methods of the buffer.
type writer struct{ b *bytes.Buffer }

func (w *writer) Write(p []byte) (int, error) { return w.b.Write(p) }

func checkRequest(t *testing.T, v vector) {
	c, written, id := stream(v)
	gotID, got, err := c.ReadRequest()
	if err != nil || gotID != id || !reflect.DeepEqual(got, goldenRequests[v.name]) {
		t.Errorf("read %d %#v, %v", gotID, got, err)
	}
	if err := c.WriteRequest(id, goldenRequests[v.name]); err != nil || !bytes.Equal(written.Bytes(), v.frame) {
		t.Errorf("wrote % x, %v\nwant  % x", written, err, v.frame)
	}
}

func checkResponse(t *testing.T, v vector) {
	c, _, id := stream(v)
	got, err := c.ReadResponse()
	want := Reply{id, goldenResponses[v.name] == nil, goldenResponses[v.name]}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %#v, %v", got, err)
	}
}

func checkResponseBytes(t *testing.T, v vector) {
	c, written, id := stream(v)
	if err := c.WriteResponse(id, goldenResponses[v.name]); err != nil || !bytes.Equal(written.Bytes(), v.frame) {
		t.Errorf("wrote % x, %v\nwant  % x", written, err, v.frame)
	}
}

func checkRefused(t *testing.T, v vector) {
	c, _, _ := stream(v)
	_, _, err := c.ReadRequest()
	wantKind(t, err, InvalidOpcode)
}
