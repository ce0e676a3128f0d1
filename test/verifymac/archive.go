package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault/mask"
)

// mostPacked is the maximum size of the file to attach: issues and mails take no larger ones.
const mostPacked = 50 << 20

// packed is the file to attach.
type packed struct {
	most    int64     // its maximum size
	secrets *mask.Set // are not in it
}

// important are the names and folders that go in first, when not everything does.
var important = []string{"page.txt", "about.txt", stepFolder, "crashes", "logs", talkText, transcripts + "/" + agentwire.TalkFile, pictures,
	transcripts, "checks", "results"}

const contents = "contents.txt"

// write packs the regular files of a folder, below the folder's name, and the list of them as the last file.
func (p packed) write(folder, file string) (err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(file) // half a file would be taken for a whole one
		}
	}()
	var list strings.Builder
	sized := sizedWriter{to: f}
	z := gzip.NewWriter(&sized)
	w := tar.NewWriter(z)
	for _, name := range filesIn(folder) {
		content, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		content = p.clean(name, content)
		if size := sizeOf(content); sized.n+size > p.most-roomForList {
			fmt.Fprintf(&list, "left out  %9d  %s (the file would be larger than %d MB)\n", len(content), name, p.most>>20)
			continue
		}
		fmt.Fprintf(&list, "          %9d  %s\n", len(content), name)
		if err := errors.Join(add(w, folder, name, content), z.Flush()); err != nil {
			return err
		}
	}
	return errors.Join(add(w, folder, contents, []byte(list.String())), w.Close(), z.Close())
}

// roomForList is what the list of the contents may take, compressed.
const roomForList = 256 << 10

func add(w *tar.Writer, folder, name string, content []byte) error {
	err := w.WriteHeader(&tar.Header{Name: path.Join(filepath.Base(folder), name), Mode: 0o600, Size: int64(len(content))})
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Flush()
	}
	return err
}

// filesIn are the names of the regular files below a folder, the important ones first.
func filesIn(folder string) (names []string) {
	_ = filepath.WalkDir(folder, func(name string, d os.DirEntry, err error) error {
		below, relErr := filepath.Rel(folder, name)
		if err == nil && relErr == nil && d.Type().IsRegular() {
			names = append(names, filepath.ToSlash(below))
		}
		return nil // what cannot be read is missing in the file, and in its list
	})
	rank := func(name string) int {
		i := slices.IndexFunc(important, func(start string) bool { return name == start || strings.HasPrefix(name, start+"/") })
		if i < 0 {
			i = len(important)
		}
		return i
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

// sizedWriter counts the bytes that it passes on.
type sizedWriter struct {
	to io.Writer
	n  int64
}

func (w *sizedWriter) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	w.n += int64(n)
	return n, err
}

// sizeOf is how many bytes a file takes, compressed, with its heading.
func sizeOf(content []byte) int64 {
	const heading = 2 << 10
	counted := sizedWriter{to: io.Discard}
	z := gzip.NewWriter(&counted)
	_, _ = z.Write(content) // into nothing
	_ = z.Close()
	return counted.n + heading
}

// secretsOf are the values of variables that have secrets by their names.
func secretsOf(env []string) *mask.Set {
	secrets := &mask.Set{}
	all := map[string]string{}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		if all[name] = value; mask.Named(name) && len(value) >= leastSecret {
			secrets.Add(value, mask.Name(strings.ToLower(name)))
		}
	}
	secrets.AddEnv(all)
	return secrets
}

// leastSecret is shorter than any token: a variable named like a secret may just be on or off.
const leastSecret = 6

// clean hides secrets in a text. Pictures and result bundles are as they are, and so are the frames of the talk: the daemon has hidden
// secrets in them, and other bytes could not be decoded.
func (p packed) clean(name string, content []byte) []byte {
	switch {
	case path.Base(name) == agentwire.TalkFile || strings.HasPrefix(name, "results/") || !utf8.Valid(content):
		return content
	case path.Ext(name) == ".json":
		return p.secrets.JSON(content)
	}
	var clean strings.Builder
	for line := range strings.Lines(string(content)) {
		clean.WriteString(p.secrets.Line(line))
	}
	return []byte(clean.String())
}

// mostUnpacked bounds what a file from elsewhere may put on the disk.
const mostUnpacked = 2 << 30

// unpack puts the files of a run into a folder. The file comes from another machine: names that lead elsewhere are refused.
func unpack(file, folder string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("missing file %s", file)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s is not the archive of a run: %w", file, err)
	}
	left := int64(mostUnpacked)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if h.Typeflag == tar.TypeDir {
			continue
		}
		if left -= h.Size; left < 0 {
			return fmt.Errorf("%s has more than %d bytes", file, mostUnpacked)
		}
		if err := unpackOne(r, h, folder); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
}

func unpackOne(r io.Reader, h *tar.Header, folder string) error {
	name := path.Clean(h.Name)
	if h.Typeflag != tar.TypeReg || !filepath.IsLocal(name) || !strings.HasPrefix(name, "verify-mac/") {
		return fmt.Errorf("%q does not belong into it", h.Name)
	}
	to := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}
