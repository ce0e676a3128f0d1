package lineindex

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/telemetry/linetext"
)

// recordOf makes the record of lines, all with the same value in one field and with their first byte in another.
func recordOf(of Block, lines []string) []byte {
	var b Builder
	b.Reset()
	for _, line := range lines {
		b.Value(0, "all")
		b.Value(1, line[:min(1, len(line))])
		b.Line(linetext.AppendFolded(nil, line))
	}
	return b.Record(of)
}

// ask gives the lines of a block that a needle is in, by its record.
func ask(t *testing.T, f *Files, of Block, fn func(*View) (Bits, error)) []int {
	t.Helper()
	var bits Bits
	if !f.Reader().Ask(of, func(v *View) (err error) { bits, err = fn(v); return err }) {
		t.Fatal("there is no such record")
	}
	return bits.Append(nil)
}

// FuzzRecord: a record finds all lines that have a text, and no others where it says that it is exact; and the lines of a value.
func FuzzRecord(f *testing.F) {
	for _, seed := range [][2]string{
		{"Request timed out|after 5 s|it timed out|out", "TIMED"}, {"abc|xabcx|ab c|1abc2", "abc"}, {"id=0a1b2c|0a1b 2c|x0a1b2cx", "0a1b2c"},
		{"a1|b2|11|1 1", "1"}, {"İstanbul|ß|日本語の文|K", "本語"}, {"took 5 ms|took 15 ms", "took 5"}, {"a\x00b|\xff\xfe\xfd", "\xfe\xfd\xff"},
		{strings.Repeat("same word|", 300) + strings.Repeat("other 17|", 200), "same"}, {"", "x"}, {"user_id 12|userid 12", "user_id 12"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, search string) {
		lines := strings.Split(text, "|")
		lines = lines[:min(len(lines), Most)]
		of := Block{First: 5, Last: 4 + int64(len(lines)), N: len(lines), Sum: 17}
		files := New(filepath.Join(t.TempDir(), "x"), 1<<20)
		defer files.Close()
		if err := files.Append(recordOf(of, lines)); err != nil {
			t.Fatal(err)
		}
		folded := linetext.Fold(search)
		var want []int
		for i, line := range lines {
			if strings.Contains(linetext.Fold(line), folded) {
				want = append(want, i)
			}
		}
		if needle, ok := NewNeedle(folded); ok {
			got := ask(t, files, of, func(v *View) (Bits, error) { return v.Text(needle) })
			if needle.Exact && !slices.Equal(got, want) {
				t.Errorf("%q in %q: %v, want %v", folded, lines, got, want)
			}
			for _, i := range want {
				if !slices.Contains(got, i) {
					t.Errorf("%q in %q: %v has not %d", folded, lines, got, i)
				}
			}
		}
		if got := ask(t, files, of, func(v *View) (Bits, error) { return v.Value(0, "all") }); len(got) != len(lines) {
			t.Errorf("%v have the value that all have", got)
		}
		key, same := search[:min(1, len(search))], []int(nil)
		for i, line := range lines {
			if line[:min(1, len(line))] == key {
				same = append(same, i)
			}
		}
		if got := ask(t, files, of, func(v *View) (Bits, error) { return v.Value(1, key) }); !slices.Equal(got, same) {
			t.Errorf("value %q of %q: %v, want %v", key, lines, got, same)
		}
	})
}

// FuzzView: what is no record is an error, or lines that the block has.
func FuzzView(f *testing.F) {
	whole := recordOf(Block{N: 3}, []string{"some words", "and 17 marks", "other words"})
	var h head
	h.get(whole)
	parts := whole[headLength:]
	f.Add(parts[:h.parts[0]], parts[h.parts[0]:], "words")
	f.Add([]byte{0, 0, 1, 4, 'a', 'b', 'c', 0, 3*64 + mapped, 0xff}, []byte{1, '7', 9}, "7")
	f.Fuzz(func(t *testing.T, words, marks []byte, search string) {
		var v View
		if v.set(3, words, func() ([]byte, error) { return marks, nil }) != nil {
			return
		}
		beyond := func(b Bits, err error) {
			if b.AndNot(All(3)); err == nil && b != (Bits{}) {
				t.Errorf("%v", b)
			}
		}
		if needle, ok := NewNeedle(linetext.Fold(search)); ok {
			beyond(v.Text(needle))
		}
		beyond(v.Value(1, search))
	})
}

// TestSingleWordSearchIsExact: texts of letters, and of letters and digits; of others a part is looked for, if it is worth it.
func TestSingleWordSearchIsExact(t *testing.T) {
	for text, want := range map[string]string{
		"timeout": "timeout, exact", "ab": "nothing", "7": "7, exact", "a7": "a7, exact", "0a1b": "0a1b, exact", "日": "日, exact",
		"connection timeout": "connection timeout", "id=0a1b2c": "0a1b2c", "/9": "nothing", "->": "nothing", "": "nothing",
		"user_id": "user", "http 401": "http", "a1 4711": "4711",
	} {
		got := "nothing"
		if n, ok := NewNeedle(text); ok {
			if got = string(slices.Concat(slices.Collect(between(n.pieces))...)); n.Exact {
				got += ", exact"
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func between(pieces [][]byte) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for i, piece := range pieces {
			if i > 0 && !yield([]byte(" ")) || !yield(piece) {
				return
			}
		}
	}
}

// TestIndexFilesAreRemovedWithTheirBlocks: records stand in several files; the oldest go when none of their blocks is left, and all when
// everything is deleted. Nobody else can read them.
func TestIndexFilesAreRemovedWithTheirBlocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines-index")
	f := New(path, 1000)
	block := func(i int) Block { return Block{First: int64(i), Last: int64(i), N: 1, Sum: int64(i)} }
	for i := 1; i <= 100; i++ {
		if err := f.Append(recordOf(block(i), []string{"a line of some words"})); err != nil {
			t.Fatal(err)
		}
	}
	files := func() int {
		t.Helper()
		names, err := filepath.Glob(path + "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 || info.Size() > 1200 {
				t.Error(name, info.Mode(), info.Size(), err)
			}
		}
		return len(names)
	}
	all, bytes := files(), f.Bytes()
	if all < 5 || bytes != 100*f.BytesOf(7) {
		t.Errorf("%d files, %d bytes", all, bytes)
	}
	if err := f.DropBefore(51); err != nil || f.Bytes() != bytes/2 || f.Has(block(50)) || !f.Has(block(51)) {
		t.Error(err, f.Bytes(), bytes)
	}
	if n := files(); n > all/2+1 || n < all/2 {
		t.Errorf("%d of %d files are left", n, all)
	}
	if f.Has(Block{First: 60, Last: 60, N: 1, Sum: 61}) {
		t.Error("a block that holds something else is taken for this one")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	again := New(path, 1000)
	if err := again.Load(); err != nil || again.Has(block(40)) || !again.Has(block(51)) || !again.Has(block(100)) {
		t.Error(err)
	}
	if err := again.Append(recordOf(block(101), []string{"one more"})); err != nil || !again.Has(block(101)) {
		t.Error(err)
	}
	if err := again.Remove(); err != nil || files() != 0 || again.Bytes() != 0 {
		t.Error(err, files(), again.Bytes())
	}
}
