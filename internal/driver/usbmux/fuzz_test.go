package usbmux

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"ios-agent/internal/device"
)

// FuzzDeliver: whatever a device sends as its log, lines come out of it, and nothing else.
func FuzzDeliver(f *testing.F) {
	for _, seed := range []string{
		"Jun 20 13:42:52 iPhone locationd[59] <Notice>: message\n\x00Jun 20 13:42:52 iPhone Shop(net)[7] <Debug>: gr\\M-C\\M-6\\134\n\x00",
		"\x00\x00\\", `\M`, `\M-`, `\^`, `\13`, strings.Repeat("x", mostEntry+9) + "\x00after\x00",
	} {
		f.Add([]byte(seed), "Shop")
		f.Add([]byte(seed), "")
	}
	f.Fuzz(func(t *testing.T, sent []byte, process string) {
		err := deliver(bytes.NewReader(sent), device.LogFilter{Process: process, Level: device.LogDebug}, func(line string) {
			if strings.Contains(line, "\n") || !utf8.ValidString(line) {
				t.Errorf("%q", line)
			}
		})
		if err == nil {
			t.Error("it never ends")
		}
	})
}

// TestLongEntryIsCut, and the next entry is complete.
func TestLongEntryIsCut(t *testing.T) {
	var got []string
	sent := strings.Repeat("x", 3*mostEntry) + "\x00after\n\x00"
	_ = deliver(strings.NewReader(sent), device.LogFilter{}, func(line string) { got = append(got, line) })
	if len(got) != 2 || len(got[0]) != mostEntry || got[1] != "after" {
		t.Errorf("%d lines", len(got))
	}
}
