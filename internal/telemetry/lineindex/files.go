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

// Files stores records in sequence, in files of a limited size, so that the oldest can be removed as whole files. Writes are not
// synced: an incomplete record is ignored. Files is safe for concurrent use.
type Files struct {
	path string        // prefix of all file names
	most int64         // maximum size of a file, plus one record
	turn chan struct{} // held during changes; guards next
	next int           // number of the next file

	mu      sync.Mutex // guards the fields below; never held across I/O
	files   []*file    // the last one grows
	records []record   // by the first number of their block
	live    int64      // size of the records in bytes
}

// file is one of the files. turn guards its size.
type file struct {
	*os.File
	size int64
	last int64 // greatest first number of a block in it
}

type record struct {
	head
	in *file
	at int64
}

// New makes the files with a name prefix and an approximate size each. Load opens them.
func New(path string, most int64) *Files {
	return &Files{path: path, most: most, turn: make(chan struct{}, 1), next: 1}
}

// Load opens the existing files. It removes files of another format, and ignores the incomplete end of a file.
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

// numbers are the file numbers, oldest first.
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

// load reads the heads of a file's records. It deletes a file without records and returns nil for it.
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
	if last && at < one.size { // later records follow the last complete one
		if err := in.Truncate(at); err != nil {
			return nil, nil, errors.Join(err, in.Close())
		}
		one.size = at
	}
	return one, records, nil
}

// put adds a record, or replaces the one with the same number. The caller has mu.
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

// Append adds records from a Builder.
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

// current is the file for new records.
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

// Has reports whether a block has a record.
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

// Bytes is the size of all records.
func (f *Files) Bytes() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.live
}

// BytesOf is the size of the record of the block with a first number.
func (f *Files) BytesOf(first int64) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i, found := f.search(first); found {
		return f.records[i].length()
	}
	return 0
}

// DropBefore forgets the blocks before a number, and removes files without other blocks.
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

// forget drops a damaged record.
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

// Close closes the files and forgets all records. Later records go into a new file.
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

// Reader makes a Reader.
func (f *Files) Reader() *Reader { return &Reader{f: f} }

// Ask runs fn on the record of a block. It reports whether the record exists and fn could read all of it; otherwise the block is
// unknown.
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

// part reads a part of the record and checks its checksum.
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
