package agentwire

import (
	"bytes"
	"reflect"
	"testing"
)

// A message that decodes must encode, and from then on be a fixed point. Bytes are compared rather than values
// because a NaN is not equal to itself.

func FuzzRequest(f *testing.F) {
	for _, v := range readVectors(f, "testdata/v1.txt") {
		f.Add(v.frame[4:])
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := UnmarshalRequest(in)
		if err != nil {
			return
		}
		Timeout(r)
		fixedPoint(t, r, MarshalRequest, UnmarshalRequest)
	})
}

func FuzzResponse(f *testing.F) {
	for _, v := range readVectors(f, "testdata/v1.txt") {
		f.Add(v.frame[4:])
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if r, err := UnmarshalResponse(in); err == nil {
			fixedPoint(t, r, MarshalResponse, UnmarshalResponse)
		}
	})
}

func fixedPoint[M any](t *testing.T, m M, marshal func(M) ([]byte, error), unmarshal func([]byte) (M, error)) {
	t.Helper()
	once, err := marshal(m)
	if err != nil {
		t.Fatalf("%#v does not encode: %v", m, err)
	}
	again, err := unmarshal(once)
	if err != nil {
		t.Fatalf("% x does not decode: %v", once, err)
	}
	if twice, err := marshal(again); err != nil || !bytes.Equal(once, twice) {
		t.Fatalf("% x became % x, %v", once, twice, err)
	}
}

// FuzzStream reads whatever comes as frames of either version, at both ends.
func FuzzStream(f *testing.F) {
	for _, file := range []string{"testdata/v1.txt", "testdata/v3.txt"} {
		for _, v := range readVectors(f, file) {
			version, _ := v.version()
			f.Add(v.frame, version)
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, version uint16) {
		drain(in, version, func(c *Conn) error { _, _, err := c.ReadRequest(); return err })
		drain(in, version, func(c *Conn) error { _, err := c.ReadResponse(); return err })
	})
}

// drain reads until the stream itself ends; each turn takes at least a length, so it does end.
func drain(in []byte, version uint16, next func(*Conn) error) {
	c := NewConn(readOnly(bytes.NewReader(in)))
	c.SetVersion(version)
	for {
		err := next(c)
		if _, inStep := err.(*DecodeError); err != nil && !inStep {
			return
		}
	}
}

func FuzzElements(f *testing.F) {
	f.Add(`[{"AXLabel":"a","AXValue":1,"frame":{"x":1},"children":[{"AXValue":null},{"enabled":false}]}]`)
	f.Fuzz(func(t *testing.T, in string) {
		first, err := (&Tree{JSON: in}).Elements()
		if err != nil {
			return
		}
		text, err := EncodeElements(first)
		if err != nil {
			t.Fatal(err)
		}
		second, err := (&Tree{JSON: text}).Elements()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if len(first) > 0 && !reflect.DeepEqual(first, second) {
			t.Fatalf("%+v became %+v", first, second)
		}
	})
}
