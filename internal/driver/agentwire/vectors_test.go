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

// version and id tell how the frame is made: a name that ends in @N is a frame of version 3.
func (v vector) version() (uint16, uint32) {
	_, id, three := strings.Cut(v.name, "@")
	if !three {
		return 1, 0
	}
	n, _ := strconv.Atoi(id)
	return Version, uint32(n)
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
	"hello":                  &Hello{3, "tk", "cli"},
	"heartbeat@1":            &Heartbeat{},
	"double-tap@11":          &DoubleTap{100, 200},
	"clear@12":               &Clear{},
	"set-value@13":           &SetValue{10, 20, "0.5"},
	"key@14":                 &Key{"a", Command | Shift, 2},
	"drag@15":                &Drag{10, 20, 30, 40, 0.5, 100, 1},
	"pinch@16":               &Pinch{195, 400, 2, 1},
	"alert@17":               &Alert{PressButton, "OK"},
	"button@18":              &Button{"home", 0},
	"rotate@19":              &Rotate{"portrait"},
	"greet":                  &Greet{3, []byte{1, 2}, "cli"},
	"prove":                  &Prove{[]byte{3, 4}},
	"look@20": &Look{Wait: Wait{StableMS: 100, MinMS: 50, MaxMS: 1500, PatienceMS: 1000}, Limits: Limits{Depth: 80, Nodes: 900},
		Unlike: "ab", Candidates: "a.b\nc.d"},
	"act-aimed@21": &Act{
		App: "a.b", Aim: &Aim{"Button", "ok", "OK", 10, 20, 100, 44, 1, 60, 42}, Input: []byte{2, 60, 0, 0, 0, 42, 0, 0, 0},
		Wait: Wait{StableMS: 150, MinMS: 200, MaxMS: 3000, PatienceMS: 1000}, Limits: Limits{Depth: 60},
	},
	"act@22":      &Act{Input: []byte{0x23}},
	"shutdown@23": &Shutdown{},
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
	"welcome":           &Welcome{3, "{}"},
	"unauthorized":      &Fault{CodeUnauthorized, "no"},
	"ok@7":              &OK{},
	"fault@8":           &Fault{CodeNotHittable, "no"},
	"tree-truncated@10": &Tree{"[]", 5},
	"alert-none@17":     &AlertState{"null"},
	"challenge":         &Challenge{3, []byte{1}, []byte{2, 3}},
	"fault@21":          &Fault{CodeNotInFront, "no"},
	"sight@20":          &Sight{true, 300, 3, 2, "a", "r", "s", "ab", "[]"},
	"pulse@20":          &Pulse{12000, 0x2d},
	"sent@21":           nil,
}

func TestGoldenVectors(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range []string{"testdata/v1.txt", "testdata/v3.txt"} {
		for _, v := range readVectors(t, file) {
			seen[v.what+" "+v.name] = true
			t.Run(v.what+"/"+v.name, func(t *testing.T) { vectorChecks[v.what](t, v) })
		}
	}
	if want := len(goldenRequests) + len(goldenResponses) + len(goldenValues) + 1; len(seen) != want {
		t.Errorf("%d vectors in the files, %d in the test", len(seen), want)
	}
}

var vectorChecks = map[string]func(*testing.T, vector){
	"request":  checkRequest,
	"response": func(t *testing.T, v vector) { checkResponse(t, v); checkResponseBytes(t, v) },
	"accepted": checkResponse,
	"refused":  checkRefused,
	"value":    checkValue,
}

// stream is a Conn that reads the vector's frame and records written bytes.
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
	want := Reply{ID: id, Heartbeat: strings.HasPrefix(v.name, "pulse"),
		Sent: strings.HasPrefix(v.name, "sent"), Response: goldenResponses[v.name]}
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

// goldenValues are computed from: the token tk, the client's nonce 00 to 0f, the agent's 10 to 1f; the front a, no cover, the
// tree [].
var goldenValues = map[string]func() []byte{
	"agent-proof":  func() []byte { return AgentProof("tk", sequence(0), sequence(16)) },
	"client-proof": func() []byte { return ClientProof("tk", sequence(0), sequence(16)) },
	"digest":       func() []byte { return []byte(Digest("a", "", "[]")) },
}

func sequence(from byte) (b []byte) {
	for i := range byte(NonceSize) {
		b = append(b, from+i)
	}
	return b
}

func checkValue(t *testing.T, v vector) {
	if got := goldenValues[v.name](); !bytes.Equal(got, v.frame) {
		t.Errorf("% x, want % x", got, v.frame)
	}
}
