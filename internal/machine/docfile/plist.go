package docfile

import (
	"bytes"
	"encoding/xml"
	"errors"

	"howett.net/plist"
)

var (
	errPlist = errors.New("not a property list that can be read")
	errMuch  = errors.New("too much, or nested too deep")
)

// Plist decodes a property list: binary, XML, or the old style that tools print.
func Plist(raw []byte, into any) (err error) {
	defer func() { // the decoder panics on some broken lists
		if p := recover(); p != nil {
			err = errPlist
		}
	}()
	if err := checkPlist(raw); err != nil {
		return err
	}
	if _, err := plist.Unmarshal(raw, into); err != nil {
		return errPlist // the decoder's message quotes the file
	}
	return nil
}

func checkPlist(raw []byte) error {
	if bytes.HasPrefix(raw, []byte("bplist")) {
		return checkBinary(raw)
	}
	if err := checkXML(raw); err != nil || bytes.HasPrefix(bytes.TrimSpace(raw), []byte("<")) {
		return err
	}
	if bytes.IndexByte(raw, 0) >= 0 { // the decoder would read it as UTF-16
		return errPlist
	}
	return textNotation.check(raw)
}

func checkXML(raw []byte) error {
	depth, values := 0, 0
	for in := xml.NewDecoder(bytes.NewReader(raw)); ; {
		token, err := in.RawToken()
		if err != nil {
			return nil // the end, or an error that the decoder finds too
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
			values++
		case xml.EndElement:
			depth--
		}
		if depth > maxDepth || values > maxNodes {
			return errMuch
		}
	}
}
