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
	"strings"
)

// pack writes the regular files of a folder into one file, below the folder's name.
func pack(folder, file string) (err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	defer func() { err = errors.Join(err, w.Close(), z.Close(), f.Close()) }()
	return filepath.WalkDir(folder, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(filepath.Dir(folder), name)
		if err == nil {
			err = w.WriteHeader(&tar.Header{Name: filepath.ToSlash(below), Mode: 0o600, Size: int64(len(content))})
		}
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	})
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
