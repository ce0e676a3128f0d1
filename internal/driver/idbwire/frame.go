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

// ContentType is the content type of a call and of its answer.
const ContentType = "application/grpc"

// The headers of a call, and the trailers that end it. The values use HTTP's escapes.
const (
	StatusTrailer  = "Grpc-Status"
	MessageTrailer = "Grpc-Message"
)

// MaxMessage bounds a message: a picture of the largest screen takes about ten megabytes.
const MaxMessage = 64 << 20

const headerSize = 5

var (
	errCompressed = errors.New("a message is compressed without being asked for")
	errTooLong    = fmt.Errorf("a message is longer than %d MB", MaxMessage>>20)
)

// Frame is a message in its wire format.
func Frame(message any) []byte {
	content := Encode(message)
	frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(content)))
	return append(frame, content...)
}

// Read reads the next message. Its error is io.EOF at the end.
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
	var content bytes.Buffer // it grows with the received bytes: the size may be false
	if n, err := io.CopyN(&content, from, int64(size)); err != nil {
		return fmt.Errorf("%d of %d bytes of a message: %w", n, size, noEnd(err))
	}
	return Decode(content.Bytes(), message)
}

// noEnd turns io.EOF into an error that does not look like the end of a stream.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Code is the gRPC status code of a call.
type Code int

// The codes that callers distinguish.
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

// StatusError is the companion's status of a failed call.
type StatusError struct {
	Code    Code
	Message string
}

func (e *StatusError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("it answered with status %d", e.Code)
	}
	return e.Message
}

// StatusOf reads the status of a call from its trailers; nil means success. An answer without messages has them in its header.
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

// mostStatus is the maximum number of bytes of a status message that is quoted.
const mostStatus = 2_000

// Escape writes a status message for a header.
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

// Unescape reads the output of Escape. Invalid escapes stay unchanged.
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
