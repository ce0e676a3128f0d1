package usbmuxd

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	"howett.net/plist"
)

// mostFrame is the maximum length of a message.
const mostFrame = 1 << 20

// muxHeader precedes every message of usbmuxd, in little-endian numbers.
type muxHeader struct {
	Length  uint32 // with the header
	Version uint32
	Kind    uint32
	Tag     uint32 // the number of the request, repeated in its answer
}

const (
	headerSize   = 16
	versionPlist = 1
	kindPlist    = 8
)

// muxMessage is a request.
type muxMessage struct {
	tag  uint32
	body map[string]any
}

// readMux reads a request. It supports only the property list version of the protocol, which all clients use today.
func readMux(r io.Reader) (m muxMessage, err error) {
	var h muxHeader
	if err := binary.Read(r, binary.LittleEndian, &h); err != nil {
		return m, err
	}
	if h.Version != versionPlist || h.Kind != kindPlist || h.Length < headerSize || h.Length > mostFrame {
		return m, fmt.Errorf("a message of version %d, kind %d and length %d", h.Version, h.Kind, h.Length)
	}
	m.tag = h.Tag
	m.body, err = readPlist(r, h.Length-headerSize)
	return m, err
}

func readPlist(r io.Reader, length uint32) (body map[string]any, err error) {
	data := make([]byte, length)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	_, err = plist.Unmarshal(data, &body)
	return body, err
}

func (m muxMessage) reply(w io.Writer, body map[string]any) { _ = writeMux(w, m.tag, body) }

// write sends an unsolicited message to a client.
func write(w io.Writer, body map[string]any) error { return writeMux(w, 0, body) }

func writeMux(w io.Writer, tag uint32, body map[string]any) error {
	data, err := plist.Marshal(body, plist.XMLFormat)
	if err != nil {
		return err
	}
	h := muxHeader{Length: headerSize + uint32(len(data)), Version: versionPlist, Kind: kindPlist, Tag: tag}
	head, err := binary.Append(nil, binary.LittleEndian, h)
	if err != nil {
		return err
	}
	_, err = w.Write(append(head, data...))
	return err
}

func (m muxMessage) text(key string) string { return text(m.body, key) }

func text(body map[string]any, key string) string {
	s, _ := body[key].(string)
	return s
}

func (m muxMessage) number(key string) int {
	n, err := strconv.Atoi(fmt.Sprint(m.body[key]))
	if err != nil {
		return -1
	}
	return n
}

// readDown reads a message of lockdownd: its length in big-endian numbers, and a property list.
func readDown(r io.Reader) (map[string]any, error) {
	var length uint32
	if err := binary.Read(r, binary.BigEndian, &length); err != nil {
		return nil, err
	}
	if length > mostFrame {
		return nil, fmt.Errorf("a message of %d bytes", length)
	}
	return readPlist(r, length)
}

func writeDown(w io.Writer, body map[string]any) error {
	data, err := plist.Marshal(body, plist.XMLFormat)
	if err != nil {
		return err
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...))
	return err
}
