package lineindex

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Files keep records, one after the other in files of some size, so that the oldest can go as whole files. Nothing is synced: a record
// that is not whole is not there. Safe for concurrent use.
type Files struct {
	path string        // what all names begin with
	most int64         // bytes of a file, with one record more
	turn chan struct{} // held by whoever changes them; it has the next one
	next int           // number of the next file

	mu      sync.Mutex // of what follows; never held across I/O
	files   []*file    // the last one grows
	records []record   // by their block's first number
	live    int64      // bytes of records
}

// file is one of the files. Its size is for whoever has the turn.
type file struct {
	*os.File
	size int64
	last int64 // the greatest first number of a block in it
}

type record struct {
	head
	in *file
	at int64
}

// New makes the files whose names begin with a path, each of about so many bytes. Load opens them.
func New(path string, most int64) *Files {
	return &Files{path: path, most: most, turn: make(chan struct{}, 1), next: 1}
}

// Load opens what is there. Files of another format are removed; the rest of one that is torn is not used.
func (f *Files) Load() error {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	numbers, err := f.numbers()
	var files []*file
	var records []record
	for _, n := range numbers {
		f.next = n + 1
		one, found, no := load(f.name(n), n == numbers[len(numbers)-1])
		if err = errors.Join(err, no); one != nil {
			files, records = append(files, one), append(records, found...)
		}
	}
	slices.SortStableFunc(records, func(a, b record) int { return cmp.Compare(a.First, b.First) })
	f.mu.Lock()
	before := f.files
	f.files, f.records, f.live = files, nil, 0
	for _, r := range records {
		f.put(r)
	}
	f.mu.Unlock()
	for _, one := range before {
		err = errors.Join(err, one.Close())
	}
	return err
}

// numbers are those of the files, oldest first.
func (f *Files) numbers() (out []int, err error) {
	entries, err := os.ReadDir(filepath.Dir(f.path))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), filepath.Base(f.path))
		if n, no := strconv.Atoi(rest); ours && no == nil && n > 0 && f.name(n) == filepath.Join(filepath.Dir(f.path), e.Name()) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, err
}

func (f *Files) name(n int) string { return f.path + strconv.Itoa(n) }

// load reads the heads of a file's records. It gives none for a file that was removed because it has none.
func load(name string, last bool) (*file, []record, error) {
	in, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil, errors.Join(err, in.Close(), fmt.Errorf("%s is not a regular file", name))
	}
	one := &file{File: in, size: info.Size()}
	var records []record
	at, raw := int64(0), make([]byte, headLength)
	for at+headLength <= one.size {
		if _, err := in.ReadAt(raw, at); err != nil {
			return nil, nil, errors.Join(err, in.Close())
		}
		r := record{in: one, at: at}
		if !r.get(raw) || at+r.length() > one.size {
			break
		}
		records, one.last, at = append(records, r), max(one.last, r.First), at+r.length()
	}
	if len(records) == 0 {
		return nil, nil, errors.Join(in.Close(), os.Remove(name))
	}
	if last && at < one.size { // what is added follows what is whole
		if err := in.Truncate(at); err != nil {
			return nil, nil, errors.Join(err, in.Close())
		}
		one.size = at
	}
	return one, records, nil
}

// put adds a record, in place of one of the same number. The caller has mu.
func (f *Files) put(r record) {
	i, found := f.search(r.First)
	if found {
		f.live -= f.records[i].length()
		f.records[i] = r
	} else {
		f.records = slices.Insert(f.records, i, r)
	}
	f.live += r.length()
}

func (f *Files) search(first int64) (int, bool) {
	return slices.BinarySearchFunc(f.records, first, func(r record, first int64) int { return cmp.Compare(r.First, first) })
}

// Append adds records, as a Builder made them.
func (f *Files) Append(raw []byte) error {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	for len(raw) > 0 {
		var r record
		if len(raw) < headLength || !r.get(raw) || r.length() > int64(len(raw)) {
			return errRecord
		}
		in, err := f.current()
		if err != nil {
			return err
		}
		r.in, r.at = in, in.size
		if _, err := in.WriteAt(raw[:r.length()], r.at); err != nil {
			return errors.Join(err, in.Truncate(in.size))
		}
		in.size += r.length()
		raw = raw[r.length():]
		f.mu.Lock()
		in.last = max(in.last, r.First)
		f.put(r)
		f.mu.Unlock()
	}
	return nil
}

// current is the file that is added to.
func (f *Files) current() (*file, error) {
	f.mu.Lock()
	var last *file
	if len(f.files) > 0 {
		last = f.files[len(f.files)-1]
	}
	f.mu.Unlock()
	if last != nil && last.size < f.most {
		return last, nil
	}
	in, err := os.OpenFile(f.name(f.next), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := in.Chmod(0o600); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	f.next++
	one := &file{File: in}
	f.mu.Lock()
	f.files = append(f.files, one)
	f.mu.Unlock()
	return one, nil
}

// Has reports whether there is a record of a block.
func (f *Files) Has(b Block) bool {
	_, found := f.find(b)
	return found
}

func (f *Files) find(b Block) (record, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i, found := f.search(b.First)
	if !found || f.records[i].Block != b {
		return record{}, false
	}
	return f.records[i], true
}

// Bytes is how much the records take.
func (f *Files) Bytes() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.live
}

// BytesOf is how much the record of the block that begins with a number takes.
func (f *Files) BytesOf(first int64) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i, found := f.search(first); found {
		return f.records[i].length()
	}
	return 0
}

// DropBefore forgets the blocks before a number. Files that have no others are removed.
func (f *Files) DropBefore(first int64) error {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	f.mu.Lock()
	i, _ := f.search(first)
	for _, r := range f.records[:i] {
		f.live -= r.length()
	}
	f.records = slices.Delete(f.records, 0, i)
	var gone, left []*file
	for _, one := range f.files {
		if one.last < first {
			gone = append(gone, one)
		} else {
			left = append(left, one)
		}
	}
	f.files = left
	f.mu.Unlock()
	var err error
	for _, one := range gone {
		err = errors.Join(err, one.Close(), os.Remove(one.Name()))
	}
	return err
}

// forget lets go of a record that is damaged.
func (f *Files) forget(r record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i, found := f.search(r.First); found && f.records[i] == r {
		f.live -= r.length()
		f.records = slices.Delete(f.records, i, i+1)
	}
}

// Remove deletes all files.
func (f *Files) Remove() error {
	err := f.Close()
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	numbers, no := f.numbers()
	err = errors.Join(err, no)
	for _, n := range numbers {
		err = errors.Join(err, os.Remove(f.name(n)))
	}
	return err
}

// Close closes the files: nothing is known of any block. What is added then goes into a new one.
func (f *Files) Close() (err error) {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	f.mu.Lock()
	files := f.files
	f.files, f.records, f.live = nil, nil, 0
	f.mu.Unlock()
	for _, one := range files {
		err = errors.Join(err, one.Close())
	}
	return err
}

// Reader asks records, one after the other.
type Reader struct {
	View
	f            *Files
	words, marks []byte
	of           record
}

// Reader makes one.
func (f *Files) Reader() *Reader { return &Reader{f: f} }

// Ask runs fn on the record of a block. It reports whether there is one and fn could read all of it; if not, nothing is known.
func (r *Reader) Ask(b Block, fn func(*View) error) bool {
	of, found := r.f.find(b)
	if !found {
		return false
	}
	r.of = of
	var err error
	if r.words, err = r.part(r.words, 0); err == nil {
		err = r.set(of.N, r.words, r.readMarks)
	}
	if err == nil {
		err = fn(&r.View)
	}
	if err != nil {
		r.f.forget(of)
	}
	return err == nil
}

func (r *Reader) readMarks() (out []byte, err error) {
	r.marks, err = r.part(r.marks, 1)
	return r.marks, err
}

// part reads a part of the record and compares its sum.
func (r *Reader) part(to []byte, which int) ([]byte, error) {
	at := r.of.at + headLength
	for i := range which {
		at += int64(r.of.parts[i])
	}
	to = slices.Grow(to[:0], r.of.parts[which])[:r.of.parts[which]]
	if _, err := r.of.in.ReadAt(to, at); err != nil {
		return to, err
	}
	if crc32.Checksum(to, table) != r.of.sums[which] {
		return to, errRecord
	}
	return to, nil
}
