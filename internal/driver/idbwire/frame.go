package idbwire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/text/brief"
)

// ContentType is that of a call and of its answer.
const ContentType = "application/grpc"

// The headers of a call, and the trailers by which it ends. The values go over the wire as HTTP's do.
const (
	StatusTrailer  = "Grpc-Status"
	MessageTrailer = "Grpc-Message"
)

// MaxMessage bounds a message: a picture of the largest screen has some ten megabytes.
const MaxMessage = 64 << 20

const headerSize = 5

var (
	errCompressed = errors.New("a message is compressed, and nobody asked for that")
	errTooLong    = fmt.Errorf("a message is longer than %d MB", MaxMessage>>20)
)

// Frame is a message as it goes over the wire.
func Frame(message any) []byte {
	content := Encode(message)
	frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(content)))
	return append(frame, content...)
}

// Read reads the next message. Its error is io.EOF when there is none.
func Read(from io.Reader, message any) error {
	var header [headerSize]byte
	if _, err := io.ReadFull(from, header[:]); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(header[1:])
	switch {
	case header[0] != 0:
		return errCompressed
	case size > MaxMessage:
		return errTooLong
	}
	var content bytes.Buffer // it grows as bytes come: the size is only a claim
	if n, err := io.CopyN(&content, from, int64(size)); err != nil {
		return fmt.Errorf("%d of %d bytes of a message: %w", n, size, noEnd(err))
	}
	return Decode(content.Bytes(), message)
}

// noEnd is an error that cannot be taken for the end of a stream.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Code is how a call ended.
type Code int

// The codes that we tell apart.
const (
	OK                 Code = 0
	Cancelled          Code = 1
	Unknown            Code = 2
	InvalidArgument    Code = 3
	DeadlineExceeded   Code = 4
	NotFound           Code = 5
	FailedPrecondition Code = 9
	Unimplemented      Code = 12
	Internal           Code = 13
	Unavailable        Code = 14
)

// StatusError is the end of a call that did not succeed, as the companion tells it.
type StatusError struct {
	Code    Code
	Message string
}

func (e *StatusError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("it answers with status %d", e.Code)
	}
	return e.Message
}

// StatusOf reads how a call ended from its trailers; nil: well. They are in the header where nothing else was answered.
func StatusOf(h http.Header) (told bool, err error) {
	text := h.Get(StatusTrailer)
	if text == "" {
		return false, nil
	}
	code, bad := strconv.Atoi(text)
	if bad != nil || code < 0 {
		code = int(Unknown)
	}
	if code == int(OK) {
		return true, nil
	}
	return true, &StatusError{Code(code), brief.Clip(Unescape(h.Get(MessageTrailer)), mostStatus)}
}

// mostStatus is how many bytes of what a companion says of a failure are told.
const mostStatus = 2_000

// Escape writes a message of a status so that it may stand in a header.
func Escape(text string) string {
	var out strings.Builder
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '%' {
			fmt.Fprintf(&out, "%%%02X", c)
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}

// Unescape reads what Escape wrote. What is no escape stays as it is.
func Unescape(text string) string {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if c, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(c))
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	if !utf8.Valid(out) {
		return strings.ToValidUTF8(string(out), "\uFFFD")
	}
	return string(out)
}
