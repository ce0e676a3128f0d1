package usbmux_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"

	"howett.net/plist"
)

// readRecord reads the pair record of the phone, as any client can.
func readRecord(ctx context.Context, dial func(context.Context) (net.Conn, error)) (record map[string]any, err error) {
	c, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	body, err := plist.Marshal(map[string]any{"MessageType": "ReadPairRecord", "PairRecordID": phone}, plist.XMLFormat)
	if err != nil {
		return nil, err
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(16+len(body)))
	if _, err := c.Write(append(append(head, 1, 0, 0, 0, 8, 0, 0, 0, 7, 0, 0, 0), body...)); err != nil {
		return nil, err
	}
	answer := make([]byte, 16)
	if _, err := io.ReadFull(c, answer); err != nil {
		return nil, err
	}
	answer = make([]byte, binary.LittleEndian.Uint32(answer)-16)
	if _, err := io.ReadFull(c, answer); err != nil {
		return nil, err
	}
	var said struct{ PairRecordData []byte }
	if _, err := plist.Unmarshal(answer, &said); err != nil {
		return nil, err
	}
	_, err = plist.Unmarshal(said.PairRecordData, &record)
	return record, err
}

// muxAnswer is an answer of usbmuxd with a pair record.
func muxAnswer(tag []byte, record string) []byte {
	body, err := plist.Marshal(map[string]any{"PairRecordData": []byte(record)}, plist.XMLFormat)
	if err != nil {
		panic(err)
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(16+len(body)))
	out = append(out, 1, 0, 0, 0, 8, 0, 0, 0)
	return append(append(out, tag...), body...)
}
