package buildlog

import (
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"ios-agent/test/soak"
)

// inChunks reads a log in pieces of random size.
func inChunks(b []byte, seed uint64) *Log {
	random := rand.New(rand.NewPCG(seed, 1))
	var r Reader
	for len(b) > 0 {
		n := min(1+random.IntN(40), len(b))
		_, _ = r.Write(b[:n])
		b = b[n:]
	}
	return r.End()
}

func asJSON(t testing.TB, l *Log) string {
	t.Helper()
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSamplesInChunks(t *testing.T) {
	for _, s := range logs(t) {
		whole, _ := Read(s.Data)
		want := asJSON(t, whole)
		for seed := range uint64(3) {
			if got := asJSON(t, inChunks(s.Data, seed)); got != want {
				t.Errorf("%s: other result in chunks (seed %d)", s.Name, seed)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"/p/A.swift:3:9: error: x\n3 | y\n  | `- error: x\n",
		"Test Case '-[A b]' started.\nfatal error: x\nRestarting after unexpected exit in A.b(); summary will include",
		"ld: Undefined symbols:\n  _a, referenced from:\n      b\nld: symbol(s) not found for x\n",
		"✘ Test \"a\" recorded an issue at f:1:2: m\n↳ d\n",
		"Testing failed:\n\tA:\n\t\tb\n** TEST FAILED **\n", "xcodebuild: error: a:\n\t\t{ platform:x }\n",
		"a.m:1:2: warning: b\nsource\nno marks\n",
	} {
		f.Add([]byte(s), uint64(1))
	}
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		var r Reader
		_, _ = r.Write(b)
		l := r.End()
		want := asJSON(t, l)
		if got := asJSON(t, inChunks(b, seed)); got != want {
			t.Fatalf("in chunks\n%s\nas a whole\n%s", got, want)
		}
		if text := l.Text(300); len(text) > 300 {
			t.Fatalf("%d bytes of text", len(text))
		}
		if n := Sniff(b); n < 0 || n > 100 {
			t.Fatalf("sniffed %d", n)
		}
	})
}

// synthetic is a log of about n bytes like that of a large project: mostly commands, some diagnostics, many tests.
func synthetic(n int) []byte {
	command := "    /Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/bin/clang " +
		strings.Repeat("-I/some/folder/of/headers ", 60) + "\n"
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		file := "/Users/dev/project/Sources/Module" + string(rune('A'+i%26)) + "/File" + strings.Repeat("x", i%7) + ".swift"
		b.WriteString("SwiftCompile normal arm64 " + file + " (in target 'App' from project 'P')\n    cd /Users/dev/project\n" + command + "\n")
		if i%3 == 0 {
			b.WriteString(file + ":12:3: warning: variable 'x' was never used\n    let x = 1\n        ^\n        _\n\n")
		}
		if i%5 == 0 {
			b.WriteString("Test Case '-[AppTests.Suite test" + strings.Repeat("y", i%50) +
				"]' started.\nTest Case '-[AppTests.Suite test" + strings.Repeat("y", i%50) + "]' passed (0.001 seconds).\n")
		}
	}
	return []byte(b.String())
}

func BenchmarkRead(b *testing.B) {
	log := synthetic(50 << 20)
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		var r Reader
		_, _ = r.Write(log)
		r.End()
	}
}

// readMany reads so many rounds of diagnostics, tests, files and targets that all differ, and returns what is held then.
func readMany(r *Reader, from, to int) (held uint64) {
	for i := from; i < to; i++ {
		line := strings.Repeat("z", i%97) + itoa(i)
		r.Line("/p/" + line + ".swift:1:2: warning: " + line)
		r.Line("    source " + line)
		r.Line("    ^")
		r.Line("Test Case '-[S t" + line + "]' passed (0.001 seconds).")
		r.Line("SwiftCompile normal arm64 /p/" + line + ".swift (in target '" + line + "' from project 'P')")
	}
	var after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&after)
	return after.HeapAlloc
}

// TestMemoryIsBounded reads more than is kept of anything: twice as much more takes no more memory.
func TestMemoryIsBounded(t *testing.T) {
	const rounds = 4000
	r := &Reader{most: bounds{diagnostics: 300, tests: 1000, seen: 3000}}
	once := readMany(r, 1, rounds+1)
	thrice := readMany(r, rounds+1, 3*rounds+1)
	checkBounds(t, r, 3*rounds)
	if grown := int64(thrice) - int64(once); grown > 256<<10 {
		t.Errorf("%d bytes more for %d lines more", grown, 5*2*rounds)
	}
}

// TestMemoryIsBoundedForLongLog is the same with what is kept in earnest.
func TestMemoryIsBoundedForLongLog(t *testing.T) {
	if !soak.Asked() {
		t.Skip("half a million lines are for make soak; TestMemoryIsBounded has fewer")
	}
	const rounds, most = 100_000, 96 << 20
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := &Reader{}
	after := readMany(r, 1, rounds+1)
	checkBounds(t, r, rounds)
	held := after - min(before.HeapAlloc, after)
	t.Logf("%d MB held after %d lines", held>>20, r.End().Lines)
	if held > most {
		t.Errorf("%d bytes held, at most %d", held, most)
	}
}

// checkBounds ends the log and wants every test counted, though not all were kept.
func checkBounds(t *testing.T, r *Reader, rounds int) {
	t.Helper()
	l := r.End()
	if l.LeftOff.Diagnostics == 0 || l.LeftOff.Tests == 0 || l.Tests.Passed != rounds {
		t.Errorf("no bound was reached: %+v, %+v", l.LeftOff, l.Tests)
	}
	if len(l.Diagnostics) > 2*r.most.diagnostics || len(l.TestCases) > r.most.tests || len(r.seen) > r.most.seen {
		t.Errorf("%d diagnostics, %d tests and %d hashes are kept of %+v", len(l.Diagnostics), len(l.TestCases), len(r.seen), r.most)
	}
}

func itoa(i int) string {
	var b []byte
	for ; i > 0; i /= 10 {
		b = append(b, byte('0'+i%10))
	}
	return string(b)
}
