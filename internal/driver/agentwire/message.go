package agentwire

import (
	"errors"
	"fmt"
	"strings"
)

// Opcode is the first byte of a message.
type Opcode uint8

// Kind is the byte after the opcode of a response.
type Kind uint8

// Opcodes that only an agent sends.
const (
	opBareError Opcode = 0x99 // the error of agents before version 1 was settled: read, never written
	opResponse  Opcode = 0xA0
)

// Request is a message to the agent. Its implementations are the pointers to the request types of this package.
type Request interface {
	Opcode() Opcode
	fields(*cursor)
}

// Response is a message from the agent. Its implementations are the pointers to the response types of this package.
type Response interface {
	Kind() Kind
	fields(*cursor)
}

// String is the name of the request with this opcode.
func (o Opcode) String() string {
	if fresh := requests[o]; fresh != nil {
		return typeName(fresh())
	}
	return fmt.Sprintf("opcode %#02x", uint8(o))
}

// String is the name of the response of this kind.
func (k Kind) String() string {
	if fresh := responses[k]; fresh != nil {
		return typeName(fresh())
	}
	return fmt.Sprintf("response %#02x", uint8(k))
}

func typeName(message any) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", message), "*agentwire.")
}

// MarshalRequest returns the opcode and fields of r. It fails only for text that is not UTF-8.
func MarshalRequest(r Request) ([]byte, error) { return appendRequest(nil, r) }

// MarshalResponse returns the opcode, kind and fields of r. It fails only for text that is not UTF-8.
func MarshalResponse(r Response) ([]byte, error) { return appendResponse(nil, r) }

func appendRequest(buf []byte, r Request) ([]byte, error) {
	return appendFields(append(buf, byte(r.Opcode())), r.fields)
}

func appendResponse(buf []byte, r Response) ([]byte, error) {
	return appendFields(append(buf, byte(opResponse), byte(r.Kind())), r.fields)
}

func appendFields(buf []byte, fields func(*cursor)) ([]byte, error) {
	c := &cursor{buf: buf}
	fields(c)
	return c.buf, c.err
}

// UnmarshalRequest reads the opcode and fields of a request. It ignores bytes after the last field, because newer peers add fields
// there. Every error is a *DecodeError.
func UnmarshalRequest(b []byte) (Request, error) {
	if len(b) == 0 {
		return nil, decodeErrorf(InsufficientData, "no opcode")
	}
	op := Opcode(b[0])
	if op == opBareError || op == opResponse {
		return nil, decodeErrorf(InvalidPayload, "%#02x is not a request", b[0])
	}
	if requests[op] == nil {
		return nil, decodeErrorf(InvalidOpcode, "%#02x", b[0])
	}
	r := requests[op]()
	if err := readFields(b[1:], op, r.fields); err != nil {
		return nil, err
	}
	return r, nil
}

// UnmarshalResponse reads the opcode, kind and fields of a response, with the rules of UnmarshalRequest.
func UnmarshalResponse(b []byte) (Response, error) {
	if len(b) == 0 {
		return nil, decodeErrorf(InsufficientData, "no opcode")
	}
	switch Opcode(b[0]) {
	case opBareError:
		return unmarshalKind(b[1:], (&ErrorText{}).Kind())
	case opResponse:
		if len(b) == 1 {
			return nil, decodeErrorf(InsufficientData, "no response type")
		}
		return unmarshalKind(b[2:], Kind(b[1]))
	}
	return nil, decodeErrorf(InvalidOpcode, "%#02x is not a response", b[0])
}

func unmarshalKind(b []byte, kind Kind) (Response, error) {
	if responses[kind] == nil {
		return nil, decodeErrorf(InvalidPayload, "response type %#02x", uint8(kind))
	}
	r := responses[kind]()
	if err := readFields(b, kind, r.fields); err != nil {
		return nil, err
	}
	return r, nil
}

func readFields(b []byte, name fmt.Stringer, fields func(*cursor)) error {
	c := &cursor{buf: b, reading: true}
	fields(c)
	if d, ok := errors.AsType[*DecodeError](c.err); ok {
		return decodeErrorf(d.Kind, "%s: %s", name, d.Detail)
	}
	return c.err
}
