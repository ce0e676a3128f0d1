package usbmuxd

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/virtualxcode/world"
)

// Services for copying crash reports: the mover moves the reports to the folder of the copier.
const (
	reportMover = "com.apple.crashreportmover"
	reportCopy  = "com.apple.crashreportcopymobile"
)

// mover sends ping when it has moved the reports.
func (s *Server) mover(world.Physical) func(context.Context, net.Conn) {
	return func(_ context.Context, conn net.Conn) {
		_, _ = io.WriteString(conn, "ping\x00")
		_, _ = io.Copy(io.Discard, conn) // until the client disconnects
	}
}

// afcHeader precedes every message of AFC, in little-endian numbers.
type afcHeader struct {
	Magic  [8]byte
	Entire uint64 // the length of header and data
	This   uint64 // the length without file contents
	Number uint64 // the number of the request, repeated in its answer
	Kind   uint64
}

const afcHeaderSize = 40

var afcMagic = [8]byte{'C', 'F', 'A', '6', 'L', 'P', 'A', 'A'}

// Kinds of messages, and status codes of an answer.
const (
	afcStatus     = 0x01
	afcData       = 0x02
	afcReadDir    = 0x03
	afcFileInfo   = 0x0a
	afcOpen       = 0x0d
	afcOpened     = 0x0e
	afcRead       = 0x0f
	afcClose      = 0x14
	afcOK         = 0
	afcInvalid    = 7
	afcNotFound   = 8
	afcDenied     = 10
	afcNotKnown   = 15
	afcReadOnly   = 1
	afcRootFolder = "."
)

// copier lets a client list and read the crash reports of a device.
func (s *Server) copier(p world.Physical) func(context.Context, net.Conn) {
	return func(_ context.Context, conn net.Conn) {
		files := &afcFiles{open: map[uint64]*bytes.Reader{}, find: func() map[string]string { return s.reports(p.UDID) }}
		for {
			h, payload, err := readAFC(conn)
			if err != nil {
				return
			}
			kind, answer := files.answer(h.Kind, payload)
			if writeAFC(conn, h.Number, kind, answer) != nil {
				return
			}
		}
	}
}

// reports returns the crash reports of a device by file name.
func (s *Server) reports(udid string) map[string]string {
	found := map[string]string{}
	all, err := s.World.CrashReports(udid)
	if err != nil {
		return found
	}
	for _, r := range all {
		if r.Path != "" {
			found[filepath.Base(r.Path)] = r.Path
		}
	}
	return found
}

func readAFC(r io.Reader) (h afcHeader, payload []byte, err error) {
	if err := binary.Read(r, binary.LittleEndian, &h); err != nil {
		return h, nil, err
	}
	if h.Magic != afcMagic || h.Entire < afcHeaderSize || h.Entire > mostFrame {
		return h, nil, fmt.Errorf("a message of AFC with %d bytes", h.Entire)
	}
	payload = make([]byte, h.Entire-afcHeaderSize)
	_, err = io.ReadFull(r, payload)
	return h, payload, err
}

func writeAFC(w io.Writer, number, kind uint64, payload []byte) error {
	whole := uint64(afcHeaderSize + len(payload))
	this := whole
	if kind == afcData {
		this = afcHeaderSize
	}
	data, err := binary.Append(nil, binary.LittleEndian, afcHeader{afcMagic, whole, this, number, kind})
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, payload...))
	return err
}

const maxReport = 64 << 20 // maximum size of a crash report in bytes

// afcFiles are the files visible to one client.
type afcFiles struct {
	find func() map[string]string
	open map[uint64]*bytes.Reader
	last uint64
}

func (f *afcFiles) answer(kind uint64, payload []byte) (answerKind uint64, answer []byte) {
	status := func(code uint64) (uint64, []byte) { return afcStatus, binary.LittleEndian.AppendUint64(nil, code) }
	number := func(at int) uint64 {
		if len(payload) < at+8 {
			return 0
		}
		return binary.LittleEndian.Uint64(payload[at:])
	}
	switch kind {
	case afcReadDir:
		return f.list(named(payload))
	case afcFileInfo:
		return f.about(named(payload))
	case afcOpen:
		if len(payload) < 8 || number(0) != afcReadOnly {
			return status(afcDenied)
		}
		data, err := regularfile.Read(f.find()[named(payload[8:])], maxReport)
		if err != nil {
			return status(afcNotFound)
		}
		f.last++
		f.open[f.last] = bytes.NewReader(data)
		return afcOpened, binary.LittleEndian.AppendUint64(nil, f.last)
	case afcRead:
		file := f.open[number(0)]
		if file == nil {
			return status(afcInvalid)
		}
		part := make([]byte, min(number(8), uint64(file.Len()), 64<<10))
		n, _ := file.Read(part) // the end of the file
		return afcData, part[:n]
	case afcClose:
		delete(f.open, number(0))
		return status(afcOK)
	}
	return status(afcNotKnown)
}

// named is the path of a request, with cleaned prefix and end.
func named(payload []byte) string {
	name, _, _ := strings.Cut(string(payload), "\x00")
	return path.Clean(strings.TrimLeft(name, "/"))
}

func (f *afcFiles) list(folder string) (uint64, []byte) {
	if folder != afcRootFolder {
		return afcStatus, binary.LittleEndian.AppendUint64(nil, afcNotFound)
	}
	names := []string{".", ".."}
	for name := range f.find() {
		names = append(names, name)
	}
	slices.Sort(names)
	return afcData, []byte(strings.Join(names, "\x00") + "\x00")
}

func (f *afcFiles) about(name string) (uint64, []byte) {
	if name == afcRootFolder {
		return afcData, pairs("st_size", "64", "st_ifmt", "S_IFDIR", "st_mtime", "0")
	}
	info, err := os.Stat(f.find()[name])
	if err != nil {
		return afcStatus, binary.LittleEndian.AppendUint64(nil, afcNotFound)
	}
	return afcData, pairs("st_size", fmt.Sprint(info.Size()), "st_blocks", "8", "st_nlink", "1", "st_ifmt", "S_IFREG",
		"st_mtime", fmt.Sprint(info.ModTime().UnixNano()))
}

// pairs are names and values in AFC's format.
func pairs(words ...string) []byte { return []byte(strings.Join(words, "\x00") + "\x00") }
