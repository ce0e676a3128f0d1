package outfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/outfile"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func has(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s: got %q and %v, want %q", filepath.Base(path), got, err, want)
	}
}

func absent(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: got %v, want no file", filepath.Base(path), err)
	}
}

func wantFault(t *testing.T, what string, err error, code fault.Code, words ...string) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%s: got %v, want %s", what, err, code)
		return
	}
	for _, w := range words {
		if f := fault.From(err); !strings.Contains(f.Message+"\n"+f.Hint, w) {
			t.Errorf("%s: got the message %q and the hint %q, want %q", what, f.Message, f.Hint, w)
		}
	}
}

func TestNewFileHasMode0600(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new")
	if err := (outfile.File{Path: path}).Check(); err != nil {
		t.Errorf("Check: got %v, want success", err)
	}
	absent(t, path)
	if err := (outfile.File{Path: path}).Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	has(t, path, "hello")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got the mode %v and %v, want 0600", info.Mode(), err)
	}
}

func TestExistingFileIsOverwrittenOnlyWithForce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old")
	write(t, path, "a long old text")
	for what, do := range map[string]func(outfile.File) error{
		"Check": outfile.File.Check, "Write": func(o outfile.File) error { return o.Write([]byte("new")) },
	} {
		wantFault(t, what, do(outfile.File{Path: path}), fault.PathError, path+" exists", "overwrite it with ‹input:force›")
		has(t, path, "a long old text")
	}
	forced := outfile.File{Path: path, Force: true}
	if err := forced.Check(); err != nil {
		t.Errorf("Check with force: got %v, want success", err)
	}
	if err := forced.Write([]byte("new")); err != nil {
		t.Errorf("Write with force: got %v, want success", err)
	}
	has(t, path, "new")
	made := outfile.File{Path: path + "2", Force: true}
	if err := made.Write([]byte("x")); err != nil {
		t.Errorf("a new file with force: got %v, want success", err)
	}
	has(t, path+"2", "x")
}

func TestOnlyRegularFilesAreWritten(t *testing.T) {
	dir := t.TempDir()
	victim, link := filepath.Join(dir, "victim"), filepath.Join(dir, "link")
	write(t, victim, "kept")
	for to, at := range map[string]string{victim: link, filepath.Join(dir, "nowhere"): link + "2"} {
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{link, link + "2", dir} {
		for _, force := range []bool{false, true} {
			o := outfile.File{Path: path, Force: force}
			want := path + " is a link, a folder or a device, not a regular file"
			wantFault(t, "Check", o.Check(), fault.PathError, want, "name another file")
			wantFault(t, "Write", o.Write([]byte("x")), fault.PathError, want)
		}
	}
	has(t, victim, "kept")
	absent(t, filepath.Join(dir, "nowhere"))
}

func TestUnreachablePathIsPathError(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "")
	below := outfile.File{Path: filepath.Join(dir, "file", "below")}
	wantFault(t, "below a file", below.Check(), fault.PathError, "not a directory")
	wantFault(t, "below a file", below.Write(nil), fault.PathError, "not a directory")
	wantFault(t, "in no folder", outfile.File{Path: filepath.Join(dir, "no", "file")}.Write(nil), fault.PathError, "writing the file: ")
}

func TestFillReturnsWrittenBytes(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"", "1234", "12345"} {
		path := filepath.Join(dir, "f"+text)
		n, err := outfile.File{Path: path}.Fill(5, func(w io.Writer) error {
			for _, b := range []byte(text) {
				if n, err := w.Write([]byte{b}); n != 1 || err != nil {
					t.Errorf("%q: a write: got %d and %v, want 1", text, n, err)
				}
			}
			return nil
		})
		if err != nil || n != int64(len(text)) {
			t.Errorf("%q: got %d and %v, want %d", text, n, err, len(text))
		}
		has(t, path, text)
	}
}

func TestPartialFileIsRemovedAfterError(t *testing.T) {
	dir, torn := t.TempDir(), errors.New("torn")
	half := func(w io.Writer) error {
		_, err := w.Write([]byte("half"))
		return errors.Join(err, torn)
	}
	for _, force := range []bool{false, true} {
		path := filepath.Join(dir, "half")
		n, err := outfile.File{Path: path, Force: force}.Fill(100, half)
		if n != 0 || !errors.Is(err, torn) {
			t.Errorf("got %d and %v, want none and the writer's error", n, err)
		}
		absent(t, path)
	}
	path := filepath.Join(dir, "large")
	n, err := outfile.File{Path: path}.Fill(5, func(w io.Writer) error {
		if _, err := w.Write([]byte("123")); err != nil {
			return err
		}
		_, err := w.Write([]byte("456"))
		return err
	})
	wantFault(t, "too large", err, fault.TooLarge, path+" would be larger than 5 bytes", "write less")
	if n != 0 {
		t.Errorf("too large: got %d bytes, want none", n)
	}
	absent(t, path)
	disk := &fs.PathError{Op: "read", Path: "source", Err: fs.ErrPermission}
	_, err = outfile.File{Path: path}.Fill(5, func(io.Writer) error { return disk })
	wantFault(t, "a fault of the disk", err, fault.PathError, "writing the file: read source")
	absent(t, path)
}

// TestOldFileStaysWhenWriteFails: with force, what was there is replaced by the whole new file or not at all.
func TestOldFileStaysWhenWriteFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "old")
	write(t, path, "old")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	torn := errors.New("torn")
	forced := outfile.File{Path: path, Force: true}
	_, err := forced.Fill(100, func(w io.Writer) error {
		_, err := w.Write([]byte("half"))
		return errors.Join(err, torn)
	})
	if !errors.Is(err, torn) {
		t.Errorf("got %v, want the writer's error", err)
	}
	has(t, path, "old")
	wantFault(t, "too large", func() error {
		_, err := forced.Fill(1, func(w io.Writer) error { _, err := w.Write([]byte("new")); return err })
		return err
	}(), fault.TooLarge)
	has(t, path, "old")
	if err := forced.Write([]byte("new")); err != nil {
		t.Errorf("got %v, want success", err)
	}
	has(t, path, "new")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("got the mode %v and %v, want that of the old file, 0644", info.Mode(), err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("got %v and %v, want one file", left, err)
	}
}

func TestFolderHasMode0700(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b")
	for range 2 {
		if err := outfile.Folder(path); err != nil {
			t.Fatalf("got %v, want success", err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("got the mode %v and %v, want a folder with 0700", info.Mode(), err)
	}
	write(t, filepath.Join(dir, "file"), "")
	wantFault(t, "below a file", outfile.Folder(filepath.Join(dir, "file", "x")), fault.PathError, "not a directory")
}

func TestProbeLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := outfile.Probe(dir); err != nil {
		t.Errorf("got %v, want success", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got %v and %v, want an empty folder", left, err)
	}
	if err := outfile.Probe(filepath.Join(dir, "no")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: got %v, want why", err)
	}
}
