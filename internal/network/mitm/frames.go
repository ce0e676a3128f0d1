package mitm

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
	"strings"
)

// The frames of RFC 6455 that matter here.
const (
	opContinue = 0x0
	opText     = 0x1
	opClose    = 0x8
)

const (
	mostPacked   = 1 << 20  // bytes of a packed message: a larger one stays packed, and so do the later ones
	packedWindow = 32 << 10 // bytes that later messages may refer to
)

// wsMessage is one message to record.
type wsMessage struct {
	op   byte
	size int64 // bytes of the payloads on the wire
	data []byte
	cut  bool
}

// frames reads one direction of a WebSocket from passing bytes. It reports no protocol errors: the two ends do that.
type frames struct {
	tell  func(wsMessage)
	wants func() bool // whether contents are still stored
	pack  *unpacker   // nil without permessage-deflate

	head    []byte // of the frame, until it is complete
	left    uint64 // bytes left of its payload
	mask    [4]byte
	at      int // position in the mask
	op      byte
	control bool
	fin     bool
	lost    bool // the bytes are invalid: the rest is ignored

	message wsMessage
	open    bool // a message has begun
	packed  bool
	ctl     wsMessage
}

func (f *frames) write(b []byte) {
	for len(b) > 0 && !f.lost {
		if f.left > 0 {
			n := min(uint64(len(b)), f.left)
			f.payload(b[:n])
			b, f.left = b[n:], f.left-n
			if f.left == 0 {
				f.endFrame()
			}
			continue
		}
		f.head = append(f.head, b[0])
		b = b[1:]
		if size := headSize(f.head); len(f.head) >= size {
			f.beginFrame()
		}
	}
}

// headSize is the length of a frame's head, as far as its first bytes show it.
func headSize(head []byte) int {
	if len(head) < 2 {
		return 2
	}
	size := 2
	switch head[1] & 0x7f {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	if head[1]&0x80 != 0 {
		size += 4
	}
	return size
}

func (f *frames) beginFrame() {
	head := f.head
	f.head = f.head[:0]
	f.fin, f.op, f.at = head[0]&0x80 != 0, head[0]&0x0f, 0
	f.control = f.op >= opClose
	rest := head[2:]
	switch n := head[1] & 0x7f; n {
	case 126:
		f.left, rest = uint64(binary.BigEndian.Uint16(rest)), rest[2:]
	case 127:
		f.left, rest = binary.BigEndian.Uint64(rest), rest[8:]
	default:
		f.left = uint64(n)
	}
	f.mask = [4]byte{}
	if head[1]&0x80 != 0 {
		copy(f.mask[:], rest)
	}
	if f.control && (f.left > 125 || !f.fin) || f.left > 1<<62 {
		f.lost = true
		return
	}
	switch {
	case f.control:
		f.ctl = wsMessage{op: f.op}
	case f.op != opContinue:
		f.message = wsMessage{op: f.op, data: f.message.data[:0]}
		f.open, f.packed = true, head[0]&0x40 != 0 && f.pack != nil
	case !f.open:
		f.lost = true
		return
	}
	if f.left == 0 {
		f.endFrame()
	}
}

func (f *frames) payload(b []byte) {
	into, most := &f.message, mostMessage
	if f.control {
		into, most = &f.ctl, 125
	} else if f.packed {
		most = mostPacked
	}
	into.size += int64(len(b))
	keep := b
	if room := most - len(into.data); len(keep) > room {
		keep, into.cut = keep[:room], true
	}
	if !f.control && !f.wants() {
		keep, into.cut = nil, true
	}
	from := len(into.data)
	into.data = append(into.data, keep...)
	for i := range keep {
		into.data[from+i] ^= f.mask[(f.at+i)&3]
	}
	f.at += len(b)
}

func (f *frames) endFrame() {
	if f.control {
		if f.op == opClose {
			f.ctl.data = bytes.Clone(f.ctl.data)
			f.tell(f.ctl)
		}
		return
	}
	if !f.fin {
		return
	}
	f.open = false
	m := f.message
	if f.packed {
		m.data, m.cut = f.pack.unpack(m.data, m.cut)
	} else {
		m.data = bytes.Clone(m.data)
	}
	f.tell(m)
}

// unpacker unpacks the messages of one direction (RFC 7692).
type unpacker struct {
	fresh  bool   // each message is compressed on its own
	window []byte // last bytes of the earlier messages
	lost   bool   // a message was too large or broken: later ones refer to missing bytes
	reader io.ReadCloser
}

func (u *unpacker) unpack(packed []byte, cut bool) ([]byte, bool) {
	if cut || u.lost {
		u.lost = !u.fresh
		return nil, true
	}
	// The bytes that the sender left out at the end of the message, and an empty last block that ends the stream.
	from := io.MultiReader(bytes.NewReader(packed), strings.NewReader("\x00\x00\xff\xff\x01\x00\x00\xff\xff"))
	if u.reader == nil {
		u.reader = flate.NewReaderDict(from, u.window)
	} else {
		_ = u.reader.(flate.Resetter).Reset(from, u.window) // it never fails
	}
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(u.reader, mostPacked+1))
	all := out.Bytes()
	broken := err != nil || n > mostPacked
	if broken {
		u.lost = !u.fresh
	} else if !u.fresh {
		u.window = append(u.window, all...)
		u.window = append([]byte(nil), u.window[max(0, len(u.window)-packedWindow):]...)
	}
	if len(all) > mostMessage {
		return bytes.Clone(all[:mostMessage]), true
	}
	return all, broken
}

// unpackersOf reads from the server's answer whether messages are packed, and how each side packs.
func unpackersOf(extensions []string) (ofApp, ofServer *unpacker) {
	for _, line := range extensions {
		for one := range strings.SplitSeq(line, ",") {
			words := strings.Split(one, ";")
			if strings.TrimSpace(words[0]) != "permessage-deflate" {
				continue
			}
			ofApp, ofServer = &unpacker{}, &unpacker{}
			for _, word := range words[1:] {
				switch name, _, _ := strings.Cut(strings.TrimSpace(word), "="); name {
				case "client_no_context_takeover":
					ofApp.fresh = true
				case "server_no_context_takeover":
					ofServer.fresh = true
				}
			}
			return ofApp, ofServer
		}
	}
	return nil, nil
}
