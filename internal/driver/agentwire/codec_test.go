package agentwire

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func wantKind(t *testing.T, err error, kind DecodeKind) {
	t.Helper()
	if d, ok := errors.AsType[*DecodeError](err); !ok || d.Kind != kind {
		t.Errorf("error %v, want %s", err, kind)
	}
}

func TestRequestDecoderRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		bytes string
		kind  DecodeKind
	}{
		"nothing":                    {"", InsufficientData},
		"unknown opcode":             {"\x0a", InvalidOpcode},
		"Android's bridge health":    {"\x15", InvalidOpcode},
		"a response":                 {"\xa0\x00", InvalidPayload},
		"a bare error":               {"\x99\x00\x00\x00\x00", InvalidPayload},
		"half a number":              {"\x02\x64\x00", InsufficientData},
		"a string that ends early":   {"\x06\x03\x00\x00\x00hi", InsufficientData},
		"a string of 4 GiB":          {"\x06\xff\xff\xff\xffhi", InsufficientData},
		"bad UTF-8":                  {"\x06\x01\x00\x00\x00\xff", BadUTF8},
		"a flag without its timeout": {"\x03\x00\x00\x00\x00\x01", InsufficientData},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := UnmarshalRequest([]byte(c.bytes))
			wantKind(t, err, c.kind)
		})
	}
}

func TestResponseDecoderRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		bytes string
		kind  DecodeKind
	}{
		"nothing":          {"", InsufficientData},
		"no type":          {"\xa0", InsufficientData},
		"an unknown type":  {"\xa0\x7f", InvalidPayload},
		"a request":        {"\x01", InvalidOpcode},
		"half a text":      {"\xa0\x01\x09\x00\x00\x00no", InsufficientData},
		"bad UTF-8":        {"\x99\x01\x00\x00\x00\xc3", BadUTF8},
		"a blob too short": {"\xa0\x03\x05\x00\x00\x00\x89", InsufficientData},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := UnmarshalResponse([]byte(c.bytes))
			wantKind(t, err, c.kind)
		})
	}
}

func TestRequestDecoderAcceptsVersion1Quirks(t *testing.T) {
	for name, c := range map[string]struct {
		bytes string
		want  Request
	}{
		"trailing bytes":       {"\x01 and more", &Heartbeat{}},
		"no timeout flag":      {"\x03\x02\x00\x00\x00ok", &TapElement{Selector: "ok"}},
		"a bool of 7":          {"\x13\x01\x00\x00\x00x\x07\x00", &FindElement{Selector: "x", ByLabel: true}},
		"bytes behind timeout": {"\x04\x00\x00\x00\x00\x00junk", &TapByLabel{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := UnmarshalRequest([]byte(c.bytes))
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %#v, %v", got, err)
			}
		})
	}
}

func TestMessageNamesAreUnique(t *testing.T) {
	names := map[string]bool{}
	for n := range 256 {
		for _, name := range []string{Opcode(n).String(), Kind(n).String()} {
			if names[name] {
				t.Errorf("%s appears twice", name)
			}
			names[name] = true
		}
	}
	if !names["TapWithType"] || !names["Sight"] || !names["opcode 0x15"] {
		t.Errorf("names are %v", names)
	}
}

func TestEmptyFramesAreSkipped(t *testing.T) {
	c := NewConn(readOnly(strings.NewReader("\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01")))
	if _, r, err := c.ReadRequest(); err != nil || !reflect.DeepEqual(r, &Heartbeat{}) {
		t.Errorf("got %#v, %v", r, err)
	}
	if _, _, err := c.ReadRequest(); err != io.EOF {
		t.Errorf("between frames: %v, want EOF", err)
	}
}

func TestShortFrameKeepsStreamInStep(t *testing.T) {
	c := NewConn(readOnly(strings.NewReader("\x02\x00\x00\x00xx" + "\x07\x00\x00\x00\x05\x00\x00\x00\x00\x00\x01")))
	c.SetVersion(Version)
	_, _, err := c.ReadRequest()
	wantKind(t, err, InsufficientData)
	if id, r, err := c.ReadRequest(); id != 5 || err != nil || !reflect.DeepEqual(r, &Heartbeat{}) {
		t.Errorf("then got %d %#v, %v", id, r, err)
	}
}

func TestLargeFrameArrivesWhole(t *testing.T) {
	want := &Image{PNG: bytes.Repeat([]byte("0123456789abcdef"), 20_000)}
	var wire bytes.Buffer
	if err := NewConn(&wire).WriteResponse(0, want); err != nil {
		t.Fatal(err)
	}
	c := NewConn(readOnly(iotest.HalfReader(&wire)))
	if got, err := c.ReadResponse(); err != nil || !reflect.DeepEqual(got.Response, want) {
		t.Errorf("got another image, %v", err)
	}
}

func TestOversizedFrameIsRefused(t *testing.T) {
	c := NewConn(readOnly(strings.NewReader("\x01\x00\x00\x04")))
	if _, _, err := c.ReadRequest(); !errors.Is(err, ErrFrameTooLarge) {
		t.Errorf("reading: %v", err)
	}
	var wire bytes.Buffer
	if err := NewConn(&wire).WriteResponse(0, &Image{make([]byte, MaxFrame)}); !errors.Is(err, ErrFrameTooLarge) {
		t.Errorf("writing: %v", err)
	}
	if wire.Len() != 0 {
		t.Errorf("%d bytes were written", wire.Len())
	}
}

func TestFalseFrameLengthAllocatesLittle(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := NewConn(readOnly(strings.NewReader("\x00\x00\x00\x04\x01")))
	_, _, err := c.ReadRequest()
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
	if cost := after.TotalAlloc - before.TotalAlloc; cost > 1<<20 {
		t.Errorf("a frame that never came cost %d bytes", cost)
	}
}

func TestInvalidUTF8IsRefusedBeforeSending(t *testing.T) {
	var wire bytes.Buffer
	err := NewConn(&wire).WriteRequest(1, &TypeText{"\xff"})
	wantKind(t, err, BadUTF8)
	if s, ok := errors.AsType[*SendError](err); !ok || s.Sent || wire.Len() > 0 {
		t.Errorf("error %v, %d bytes written", err, wire.Len())
	}
}

func readOnly(r io.Reader) io.ReadWriter {
	return struct {
		io.Reader
		io.Writer
	}{r, io.Discard}
}
