package mitm

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// mostCodings bounds the layers of coding of a body: more than two are an attack or a mistake.
const mostCodings = 3

// mostWindow bounds the memory for unpacking one body, whatever its head demands.
const mostWindow = 8 << 20

var unpackers = map[string]func(io.Reader) (io.Reader, error){
	"gzip":    func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"x-gzip":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"deflate": inflated,
	"br":      func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
	"zstd": func(r io.Reader) (io.Reader, error) {
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(mostWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	},
}

// inflated reads "deflate". Some servers mean zlib, as the standard says, and others the raw format.
func inflated(r io.Reader) (io.Reader, error) {
	var first [2]byte
	n, err := io.ReadFull(r, first[:])
	all := io.MultiReader(bytes.NewReader(first[:n]), r)
	if err != nil {
		return nil, err
	}
	if first[0]&0x0f == 8 && (int(first[0])<<8|int(first[1]))%31 == 0 {
		return zlib.NewReader(all)
	}
	return flate.NewReader(all), nil
}

// Decode unpacks a stored body from the wire: at most most bytes of it.
func Decode(coding string, wire []byte, most int64) ([]byte, error) {
	content, used, _ := decode(coding, wire, true, int(min(most, math.MaxInt)), &portion{})
	if used == "" && len(wire) > 0 && len(codings(coding)) > 0 {
		return nil, fmt.Errorf("the body is not encoded as %s", coding)
	}
	return content, nil
}

// decode unpacks the first most bytes of a body. used is the coding that was undone; it is empty for a body without a coding, or with
// another one than its head says. all reports that content is complete.
func decode(coding string, raw []byte, whole bool, most int, room *portion) (content []byte, used string, all bool) {
	if len(raw) == 0 {
		return nil, "", whole
	}
	asIs := func() ([]byte, string, bool) { return raw[:min(len(raw), most)], "", whole && len(raw) <= most }
	names := codings(coding)
	if len(names) == 0 || len(names) > mostCodings {
		return asIs()
	}
	var from io.Reader = bytes.NewReader(raw)
	var open []io.Closer
	defer func() {
		for _, c := range open {
			_ = c.Close() // this frees memory
		}
	}()
	for _, name := range slices.Backward(names) {
		unpack := unpackers[name]
		if unpack == nil {
			return asIs()
		}
		next, err := unpack(from)
		if err != nil {
			return asIs()
		}
		if c, ok := next.(io.Closer); ok {
			open = append(open, c)
		}
		from = next
	}
	content, limit, err := room.read(from, int64(most))
	if err != nil && len(content) == 0 {
		return asIs()
	}
	all = err == nil && int64(len(content)) <= limit && whole
	return content[:min(int64(len(content)), limit)], strings.Join(names, ", "), all
}

// codings are the names in a Content-Encoding, without identity.
func codings(line string) []string {
	var names []string
	for name := range strings.SplitSeq(line, ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
			names = append(names, name)
		}
	}
	return names
}
