package usbmux

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/machine/docfile"
)

// mostMessage is the maximum length of an answer, because the length comes from the device.
const mostMessage = 8 << 20

// conn is a connection to usbmuxd whose operations are limited by patience, and that ends with its context.
type conn struct {
	net.Conn
	stop func() bool
	tag  uint32
}

func (m *Mux) dial(ctx context.Context) (*conn, error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := m.Connect(wait)
	if err != nil {
		return nil, &NoMuxError{because(ctx, err)}
	}
	limited := &conn{Conn: c, stop: context.AfterFunc(ctx, func() { c.Close() })}
	limited.limit()
	return limited, nil
}

// limit sets the deadline of the next operations.
func (c *conn) limit() { _ = c.SetDeadline(time.Now().Add(patience)) } // fails only on a closed connection

// Close ends the connection.
func (c *conn) Close() error {
	c.stop()
	return c.Conn.Close()
}

// release gives the connection to a caller that uses it without a limit.
func (c *conn) release() net.Conn {
	c.stop()
	_ = c.SetDeadline(time.Time{})
	return c.Conn
}

// because names the end of ctx as the reason when the connection only reports that it was closed.
func because(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %s", ctx.Err(), err) // the caller's own end is not an error of usbmuxd
	}
	return err
}

// muxHeader comes before every message of usbmuxd, in little-endian numbers.
type muxHeader struct{ Length, Version, Kind, Tag uint32 }

const (
	headerSize   = 16
	versionPlist = 1
	kindPlist    = 8
)

// ask sends a request to usbmuxd and returns its answer.
func (c *conn) ask(request map[string]any) (map[string]any, error) {
	answer, err := c.exchange(request)
	if err != nil {
		return nil, &AnswerError{err}
	}
	return answer, nil
}

func (c *conn) exchange(request map[string]any) (map[string]any, error) {
	request["ProgName"], request["ClientVersionString"], request["kLibUSBMuxVersion"] = "ios-agent", "ios-agent", 3
	data := propertyList(request)
	c.tag++
	h := muxHeader{headerSize + uint32(len(data)), versionPlist, kindPlist, c.tag}
	head, err := binary.Append(nil, binary.LittleEndian, h)
	if err != nil {
		return nil, err
	}
	if _, err := c.Write(append(head, data...)); err != nil {
		return nil, err
	}
	if err := binary.Read(c, binary.LittleEndian, &h); err != nil {
		return nil, err
	}
	if h.Kind != kindPlist || h.Tag != c.tag || h.Length < headerSize {
		return nil, fmt.Errorf("usbmuxd answered in another protocol: kind %d, request %d", h.Kind, h.Tag)
	}
	return readPlist(c, h.Length-headerSize)
}

// readPlist reads a property list. No error contains its bytes, because it may be a pair record.
func readPlist(r io.Reader, length uint32) (body map[string]any, err error) {
	if length > mostMessage {
		return nil, fmt.Errorf("the answer has %d bytes, more than %d", length, mostMessage)
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	if err := docfile.Plist(data, &body); err != nil {
		return nil, fmt.Errorf("cannot parse the answer: %w", err)
	}
	return body, nil
}

// propertyList writes a request: texts, whole numbers, lists of texts, and dictionaries of these.
func propertyList(request map[string]any) []byte {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><plist version="1.0">`)
	writeValue(&b, request)
	b.WriteString("</plist>")
	return []byte(b.String())
}

var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func writeValue(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteString("<dict>")
		for _, key := range slices.Sorted(maps.Keys(v)) {
			b.WriteString("<key>" + escaped.Replace(key) + "</key>")
			writeValue(b, v[key])
		}
		b.WriteString("</dict>")
	case []string:
		b.WriteString("<array>")
		for _, one := range v {
			writeValue(b, one)
		}
		b.WriteString("</array>")
	case int:
		b.WriteString("<integer>" + strconv.Itoa(v) + "</integer>")
	default:
		b.WriteString("<string>" + escaped.Replace(fmt.Sprint(v)) + "</string>")
	}
}

// tell sends a message to lockdownd or a similar service: its length in big-endian numbers, and a property list.
func tell(w io.Writer, request map[string]any) error {
	data := propertyList(request)
	_, err := w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...))
	return err
}

func hear(r io.Reader) (map[string]any, error) {
	var length uint32
	if err := binary.Read(r, binary.BigEndian, &length); err != nil {
		return nil, err
	}
	return readPlist(r, length)
}

func text(of map[string]any, key string) string {
	s, _ := of[key].(string)
	return s
}

// number is a whole number, or -1 for any other value.
func number(v any) int {
	n, err := strconv.Atoi(fmt.Sprint(v))
	if err != nil {
		return -1
	}
	return n
}
