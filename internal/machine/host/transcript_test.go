package host

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Whatever a file holds: it is refused, or it is played to its end, and reads the same when written again.
func FuzzTranscript(f *testing.F) {
	files, _ := filepath.Glob("testdata/transcripts/*")
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"v":1,"argv":["x"],"events":[{"at":"1s","is":"sent","why":"timeout"},{"at":"1s","is":"sent","why":"timeout"}]}`))
	f.Add([]byte(`{"v":1,"argv":["x"],"events":[{"at":"0s","is":"exit","signal":"SIGKILL"}],"stdin":{"ended":true}}`))
	f.Add([]byte(`{"v":1,"argv":["x"],"events":[{"at":"0s","is":"failed","text":"no"}],"tmp":"/(","dir":"/["}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		script, err := decodeTranscript(bytes.NewReader(b))
		if err != nil {
			return
		}
		script.key()
		again, err := decodeTranscript(bytes.NewReader(encode(script, "")))
		if err != nil || !reflect.DeepEqual(again.key(), script.key()) {
			t.Fatalf("%v: %+v became %+v", err, script, again)
		}
		p := newReplayedProgram(script, Cmd{Stdin: strings.NewReader("")})
		p.signal(unix.SIGINT)
		p.deliver(func(Stream, []byte) {})
		if e := p.wait(); e.code != -1 && e.signal != "" {
			t.Errorf("ended %+v", e)
		}
	})
}

// The veil over pieces against the obvious implementation: replace in the whole.
func TestRedactorHidesSecretsAcrossPieces(t *testing.T) {
	t.Setenv("A_TOKEN", "abcabcab")
	t.Setenv("B_TOKEN", "abcabcabcabX")
	t.Setenv("C_TOKEN", "short")
	v := newRedactor(Cmd{})
	whole := strings.NewReplacer("abcabcabcabX", secretMark, "abcabcab", secretMark)
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var all, got []byte
		var held []byte
		for range r.IntN(12) {
			piece := []byte([]string{"abc", "ab", "X", "c", "short", "\u4e16", "\xe4", "\xb8"}[r.IntN(8)])
			all = append(all, piece...)
			var shown []byte
			shown, held = v.hide(append(bytes.Clone(held), piece...), false)
			got = append(got, shown...)
		}
		got = append(got, v.all(held)...)
		if want := whole.Replace(string(all)); string(got) != want {
			t.Fatalf("%q: got %q, want %q", all, got, want)
		}
	}
}
