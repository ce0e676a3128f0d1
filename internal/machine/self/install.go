package self

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/wholefile"
)

// mainPackage is what the program is built from.
const mainPackage = "ios-agent/cmd/ios-agent"

// Sums is the file of checksums that stands beside the files of a release.
const Sums = "SHA256SUMS"

// mostBinary bounds a program that is unpacked: ours has some 40 MB.
const mostBinary = 512 << 20

// Placed is where the program is now.
type Placed struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"` // it was not there before, byte for byte
}

// Install copies the running program into a folder, which is made when it is not there, and replaces an older one of ours; a file
// that is another program is refused.
func Install(dir string) (Placed, error) {
	in, err := running()
	if err != nil {
		return Placed{}, err
	}
	defer in.Close()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Placed{}, unwritten(dir, err)
	}
	target := filepath.Join(dir, Name)
	if same, err := isCopy(in, target); err != nil || !same {
		if err := replaceable(target); err != nil {
			return Placed{}, err
		}
	}
	return put(in, target)
}

// Update replaces the running program by the one in a file: a program, or a tarball of a release. Beside it may be checksums, which
// must hold then.
func Update(from string) (Placed, error) {
	in, err := running()
	if err != nil {
		return Placed{}, err
	}
	target, err := filepath.EvalSymlinks(in.Name())
	if err := errors.Join(err, in.Close()); err != nil {
		return Placed{}, fault.New(fault.PathError, "the running program: %w", err)
	}
	out, err := os.CreateTemp(filepath.Dir(target), ".update-*")
	if err != nil {
		return Placed{}, unwritten(filepath.Dir(target), err)
	}
	defer os.Remove(out.Name())
	defer out.Close()
	if err := unpack(from, out); err != nil {
		return Placed{}, err
	}
	if err := suits(read(out.Name()), from); err != nil {
		return Placed{}, err
	}
	return put(out, target)
}

// running opens the program that this process is.
func running() (*os.File, error) {
	path, err := os.Executable()
	if err == nil {
		var in *os.File
		if in, err = os.Open(path); err == nil {
			return in, nil
		}
	}
	return nil, fault.New(fault.PathError, "the running program: %w", err)
}

// replaceable refuses a file that is not ours to replace.
func replaceable(target string) error {
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.New(fault.PathError, "%w", err)
	case info.Mode().IsRegular() && ours(read(target)):
		return nil
	}
	return fault.New(fault.PathError, "%s is there and is not ios-agent; it is left alone", target).With("file", target).
		WithHint("remove it, or name another folder with `--to`")
}

// put gives a copy of a program its name, at once or not at all. Who may enter the folder may run it, and nobody else.
func put(in *os.File, target string) (Placed, error) {
	out := Placed{Path: target}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return out, fault.New(fault.PathError, "%w", err)
	}
	if same, err := isCopy(in, target); err == nil && same {
		return out, nil
	}
	folder, err := os.Stat(filepath.Dir(target))
	if err != nil {
		return out, unwritten(filepath.Dir(target), err)
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".install-*")
	if err != nil {
		return out, unwritten(filepath.Dir(target), err)
	}
	defer os.Remove(f.Name())
	_, err = io.Copy(f, in)
	if err = errors.Join(err, f.Chmod(0o700|folder.Mode().Perm()&0o055)); err != nil {
		return out, unwritten(target, errors.Join(err, f.Close()))
	}
	if err := wholefile.Place(f, target); err != nil {
		return out, unwritten(target, err)
	}
	out.Changed = true
	return out, nil
}

func unwritten(path string, err error) error {
	if f, ok := fault.OfDisk(err); ok {
		return f.Within("installing into " + path)
	}
	return fault.New(fault.PathError, "%s is not written: %w", path, err).With("file", path).
		WithHint("name a folder that you may write: `ios-agent self install --to ~/.local/bin`")
}

// read gives how a program was built; nothing is known of what is no Go program.
func read(path string) debug.BuildInfo {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return debug.BuildInfo{}
	}
	return *info
}

// ours tells whether something is this program, of any build.
func ours(info debug.BuildInfo) bool { return info.Path == mainPackage }

// suits refuses what is not our program, or not for this machine.
func suits(info debug.BuildInfo, from string) error {
	if !ours(info) {
		return fault.New(fault.InvalidInput, "%s is not ios-agent", from).With("field", "from").
			WithHint("give a tarball of `make release`, or a program built from ./cmd/ios-agent")
	}
	built := map[string]string{}
	for _, s := range info.Settings {
		built[s.Key] = s.Value
	}
	if built["GOOS"] != runtime.GOOS || built["GOARCH"] != runtime.GOARCH {
		return fault.New(fault.InvalidInput, "%s is for %s/%s, and this is %s/%s", from, built["GOOS"], built["GOARCH"],
			runtime.GOOS, runtime.GOARCH).With("field", "from").WithHint("take the one for %s_%s", runtime.GOOS, runtime.GOARCH)
	}
	return nil
}

// unpack writes the program in a file to another.
func unpack(from string, out io.Writer) error {
	in, err := regularfile.Open(from)
	if err != nil {
		return fault.New(fault.PathError, "%s: %w", from, err).With("field", "from").WithHint("name a tarball of a release, or a program")
	}
	defer in.Close()
	if err := verify(in, from); err != nil {
		return err
	}
	program, err := programIn(bufio.NewReader(in))
	if err == nil {
		var n int64
		if n, err = io.Copy(out, io.LimitReader(program, mostBinary+1)); n > mostBinary {
			return fault.New(fault.TooLarge, "the program in %s has more than %d MB", from, mostBinary>>20)
		}
	}
	if err != nil {
		return fault.New(fault.InvalidInput, "%s holds no program: %w", from, err).With("field", "from").
			WithHint("give a tarball of `make release`, or a program built from ./cmd/ios-agent")
	}
	return nil
}

// programIn finds the program: all of it, or the file of our name in a tarball.
func programIn(in *bufio.Reader) (io.Reader, error) {
	if head, err := in.Peek(2); err != nil || !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return in, nil
	}
	unzipped, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	files := tar.NewReader(io.LimitReader(unzipped, 2*mostBinary))
	for {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("there is no file %s in it", Name)
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag == tar.TypeReg && filepath.Base(h.Name) == Name {
			return files, nil
		}
	}
}

// verify holds a file to the checksum beside it, if there are any.
func verify(in *os.File, from string) error {
	sums := filepath.Join(filepath.Dir(from), Sums)
	raw, err := regularfile.Read(sums, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.New(fault.PathError, "%s: %w", sums, err)
	}
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return fault.New(fault.PathError, "%s: %w", from, err)
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return fault.New(fault.PathError, "%s: %w", from, err)
	}
	for line := range strings.Lines(string(raw)) {
		if sum, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && name == filepath.Base(from) {
			if sum == hex.EncodeToString(h.Sum(nil)) {
				return nil
			}
			return fault.New(fault.Forbidden, "%s is not the file that %s tells of", from, sums).With("field", "from").
				WithHint("fetch it again; the checksum differs")
		}
	}
	return fault.New(fault.Forbidden, "%s has no checksum of %s", sums, filepath.Base(from)).With("field", "from").
		WithHint("fetch both again from one release, or move the file out of that folder")
}
