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
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/private"
	"ios-agent/internal/machine/regularfile"
)

// Sums is the name of the file with the checksums of a release, in the same folder.
const Sums = "SHA256SUMS"

// mostBinary is the maximum size in bytes of a release file, and of the program in it: ios-agent has about 40 MB.
const mostBinary = 512 << 20

// Update replaces the running program by the program in a file, which is a binary or a tarball of a release. The file must have the given
// checksum, or the one in the checksums beside it. Update reads the file once, into a copy that no other user can change, and checks and
// installs that copy.
func Update(from, sum string) (Placed, error) {
	in, err := running()
	if err != nil {
		return Placed{}, err
	}
	target, err := filepath.EvalSymlinks(in.Name())
	if err := errors.Join(err, in.Close()); err != nil {
		return Placed{}, fault.New(fault.PathError, "the running program: %w", err)
	}
	copied, err := os.CreateTemp(filepath.Dir(target), ".update-*")
	if err != nil {
		return Placed{}, unwritten(filepath.Dir(target), err)
	}
	defer os.Remove(copied.Name())
	defer copied.Close()
	out, err := os.CreateTemp(filepath.Dir(target), ".update-*")
	if err != nil {
		return Placed{}, unwritten(filepath.Dir(target), err)
	}
	defer os.Remove(out.Name())
	defer out.Close()
	if err := checked(from, sum, copied); err != nil {
		return Placed{}, err
	}
	if err := unpack(copied, from, out); err != nil {
		return Placed{}, err
	}
	info, err := buildinfo.Read(out)
	if err != nil {
		info = &debug.BuildInfo{}
	}
	if err := suits(*info, from); err != nil {
		return Placed{}, err
	}
	return put(out, target)
}

// suits refuses a program that is not ios-agent, or not for this machine.
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

// checked copies a file, once, and refuses a copy with a wrong checksum. It leaves the copy at its beginning.
func checked(from, sum string, to io.ReadWriteSeeker) error {
	want, said, err := expected(from, sum)
	if err != nil {
		return err
	}
	in, err := regularfile.Open(from)
	if err != nil {
		return fault.New(fault.PathError, "%s: %w", from, err).With("field", "from").WithHint("name a tarball of a release, or a program")
	}
	defer in.Close()
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, h), io.LimitReader(in, mostBinary+1))
	switch {
	case err != nil:
		return unwritten(from, err)
	case n > mostBinary:
		return tooLarge(from)
	case hex.EncodeToString(h.Sum(nil)) != want:
		return fault.New(fault.Forbidden, "the checksum of %s differs from %s", from, said).With("field", "from").
			WithHint("fetch the file again")
	}
	if _, err := to.Seek(0, io.SeekStart); err != nil {
		return fault.New(fault.PathError, "%w", err)
	}
	return nil
}

func tooLarge(from string) error {
	return fault.New(fault.TooLarge, "the program in %s has more than %d MB", from, mostBinary>>20).
		WithHint("give a tarball of `make release`, or a program built from ./cmd/ios-agent")
}

// expected returns the required checksum of a file and its source: the caller, or the checksums beside the file. It refuses a file of
// checksums that others can write.
func expected(from, sum string) (want, said string, err error) {
	if sum != "" {
		want = strings.ToLower(strings.TrimSpace(sum))
		if raw, err := hex.DecodeString(want); err != nil || len(raw) != sha256.Size {
			return "", "", fault.New(fault.InvalidInput, "%.80q is not a SHA-256 checksum", sum).With("field", "sha256").
				WithHint("give the 64 digits of the file in the release's %s", Sums)
		}
		return want, "the given checksum", nil
	}
	sums := filepath.Join(filepath.Dir(from), Sums)
	if err := private.File(sums); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	raw, err := regularfile.Read(sums, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", fault.New(fault.Forbidden, "no checksum for %s: its folder has no %s", from, Sums).With("field", "from").
			WithHint("put the %s of the same release into the same folder, or give the checksum of the release as %s", Sums, hint.Field("sha256"))
	}
	if err != nil {
		return "", "", fault.New(fault.PathError, "%s: %w", sums, err)
	}
	for line := range strings.Lines(string(raw)) {
		if sum, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && name == filepath.Base(from) {
			return sum, sums, nil
		}
	}
	return "", "", fault.New(fault.Forbidden, "%s has no checksum of %s", sums, filepath.Base(from)).With("field", "from").
		WithHint("fetch both again from one release")
}

// unpack writes the program that a file contains to out.
func unpack(in io.Reader, from string, out io.Writer) error {
	program, err := programIn(bufio.NewReader(in))
	if err == nil {
		var n int64
		if n, err = io.Copy(out, io.LimitReader(program, mostBinary+1)); n > mostBinary {
			return tooLarge(from)
		}
	}
	if err != nil {
		return fault.New(fault.InvalidInput, "%s holds no program: %w", from, err).With("field", "from").
			WithHint("give a tarball of `make release`, or a program built from ./cmd/ios-agent")
	}
	return nil
}

// programIn returns a reader of the program: the whole file, or the entry ios-agent of a tarball.
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
			return nil, fmt.Errorf("it has no file %s", Name)
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag == tar.TypeReg && filepath.Base(h.Name) == Name {
			return files, nil
		}
	}
}
