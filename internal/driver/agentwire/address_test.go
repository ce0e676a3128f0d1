package agentwire

import "testing"

func TestAddressInFindsLoopbackAddress(t *testing.T) {
	for line, want := range map[string]string{
		"ios-agent listens on 127.0.0.1:51234":     "127.0.0.1:51234",
		"ios-agent listens on 127.0.0.1:51234\r\n": "127.0.0.1:51234",
		"ios-agent listens on 127.0.0.1:":          "",
		"ios-agent listens on 10.0.0.1:51234":      "",
		"ios-agent listens on 127.0.0.1:80 80":     "",
		"an ios-agent listens on 127.0.0.1:51234":  "",
		"127.0.0.1:51234":                          "",
		"":                                         "",
	} {
		if got, ok := AddressIn(line); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v", line, got, ok)
		}
	}
}
