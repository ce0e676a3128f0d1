package usbmux

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/apple/reports"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/wholefile"
)

var _ device.Reports = (*handset)(nil)

// The services that copy crash reports: the first moves them to the folder of the second.
const (
	reportMover = "com.apple.crashreportmover"
	reportCopy  = "com.apple.crashreportcopymobile"
)

// CopyReports copies crash reports over AFC, for devices without devicectl.
func (h *handset) CopyReports(ctx context.Context, dir string, most int) (copied, left int, err error) {
	if err := h.move(ctx); err != nil {
		return 0, 0, err
	}
	conn, err := h.driver.Mux.Service(ctx, h.info.UDID, reportCopy)
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	files := &afc{conn: conn}
	all, err := files.reports(dir)
	if err != nil {
		return 0, 0, because(ctx, h.unreadable(err))
	}
	for i, f := range all {
		if i == most {
			return copied, len(all) - i, nil
		}
		data, err := files.read(f)
		if err == nil {
			err = wholefile.Write(filepath.Join(dir, f.name), data)
		}
		if err != nil {
			return copied, len(all) - i, because(ctx, h.unreadable(err))
		}
		copied++
	}
	return copied, 0, nil
}

func (h *handset) unreadable(err error) error {
	return fault.New(fault.ToolFailed, "cannot copy the crash reports of %s: %w", h.info.Name, err)
}

// move makes the device move its newest reports to the readable folder, and waits for its confirmation.
func (h *handset) move(ctx context.Context) error {
	conn, err := h.driver.Mux.Service(ctx, h.info.UDID, reportMover)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	_ = conn.SetDeadline(time.Now().Add(patience))
	ping := make([]byte, 4)
	if _, err := io.ReadFull(conn, ping); err != nil || string(ping) != "ping" {
		return because(ctx, h.unreadable(cmp.Or(err, errors.New("the device did not confirm that it moved them"))))
	}
	return nil
}

// afc is a connection to a file service: Apple File Conduit.
type afc struct {
	conn   net.Conn
	number uint64
}

// afcHeader comes before every message, in little-endian numbers.
type afcHeader struct {
	Magic  [8]byte
	Entire uint64 // length with the header and all that follows it
	This   uint64 // length without the bytes of files
	Number uint64
	Kind   uint64
}

const afcHeaderSize = 40

var afcMagic = [8]byte{'C', 'F', 'A', '6', 'L', 'P', 'A', 'A'}

// The kinds of messages.
const (
	afcStatus   = 0x01
	afcData     = 0x02
	afcReadDir  = 0x03
	afcFileInfo = 0x0a
	afcOpen     = 0x0d
	afcOpened   = 0x0e
	afcRead     = 0x0f
	afcClose    = 0x14
	afcReadOnly = 1
	afcPart     = 64 << 10 // bytes per read of a file
)

// ask sends a request and returns its answer, which must have the expected kind.
func (a *afc) ask(kind, want uint64, payload []byte) ([]byte, error) {
	_ = a.conn.SetDeadline(time.Now().Add(patience))
	a.number++
	whole := uint64(afcHeaderSize + len(payload))
	data, err := binary.Append(nil, binary.LittleEndian, afcHeader{afcMagic, whole, whole, a.number, kind})
	if err != nil {
		return nil, err
	}
	if _, err := a.conn.Write(append(data, payload...)); err != nil {
		return nil, err
	}
	var h afcHeader
	if err := binary.Read(a.conn, binary.LittleEndian, &h); err != nil {
		return nil, err
	}
	if h.Magic != afcMagic || h.Entire < afcHeaderSize || h.Entire > mostMessage {
		return nil, fmt.Errorf("AFC announced an answer of %d bytes", h.Entire)
	}
	answer := make([]byte, h.Entire-afcHeaderSize)
	if _, err := io.ReadFull(a.conn, answer); err != nil {
		return nil, err
	}
	switch {
	case h.Kind == want:
		return answer, nil
	case h.Kind == afcStatus && len(answer) >= 8:
		return nil, fmt.Errorf("AFC refused request %#x with status %d", kind, binary.LittleEndian.Uint64(answer))
	}
	return nil, fmt.Errorf("AFC answered request %#x with a message of kind %#x", kind, h.Kind)
}

// afcFile is a file of the device.
type afcFile struct {
	name     string
	size     int
	modified int // in nanoseconds
}

// reports are the crash reports that a folder lacks, the newest first.
func (a *afc) reports(dir string) ([]afcFile, error) {
	list, err := a.ask(afcReadDir, afcData, []byte("/\x00"))
	if err != nil {
		return nil, err
	}
	var all []afcFile
	for name := range strings.SplitSeq(string(list), "\x00") {
		if !reports.OfADevice(name) {
			continue
		}
		f, err := a.about(name)
		if err != nil {
			return nil, err
		}
		if f.size >= 0 && f.size <= reports.MostOfADevice && !reports.Copied(dir, f.name, int64(f.size)) {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b afcFile) int { return cmp.Compare(b.modified, a.modified) })
	return all, nil
}

// about reads a file's size and time; the size is -1 if it is not a regular file.
func (a *afc) about(name string) (afcFile, error) {
	answer, err := a.ask(afcFileInfo, afcData, []byte("/"+name+"\x00"))
	if err != nil {
		return afcFile{}, err
	}
	words := strings.Split(string(answer), "\x00")
	about := map[string]string{}
	for i := 0; i+1 < len(words); i += 2 {
		about[words[i]] = words[i+1]
	}
	f := afcFile{name: name, size: number(about["st_size"])}
	f.modified, _ = strconv.Atoi(about["st_mtime"]) // a file without a time counts as the oldest
	if about["st_ifmt"] != "S_IFREG" {
		f.size = -1
	}
	return f, nil
}

// read reads a file.
func (a *afc) read(f afcFile) ([]byte, error) {
	request := binary.LittleEndian.AppendUint64(nil, afcReadOnly)
	opened, err := a.ask(afcOpen, afcOpened, append(request, "/"+f.name+"\x00"...))
	if err != nil {
		return nil, err
	}
	if len(opened) < 8 {
		return nil, errors.New("AFC opened a file without a handle")
	}
	handle := opened[:8]
	var data []byte
	for len(data) < f.size {
		part, err := a.ask(afcRead, afcData, binary.LittleEndian.AppendUint64(slices.Clone(handle), afcPart))
		if err != nil {
			return nil, err
		}
		if len(part) == 0 {
			break
		}
		data = append(data, part...)
	}
	_, err = a.ask(afcClose, afcStatus, handle)
	return data, err
}
