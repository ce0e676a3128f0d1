package debugger

import "testing"

func TestIsFalseRecognizesFalseValues(t *testing.T) {
	for value, want := range map[string]bool{
		"false": true, "NO": true, "nil": true, "0": true, "0.0": true, "-0": true, `'\0'`: true, "0x0000000000000000": true,
		"true": false, "YES": false, "1": false, "-1": false, "0.5": false, "'0'": false, "0x0000000000000001": false, `"0"`: false, "": false,
		"some": false,
	} {
		if got := isFalse(value); got != want {
			t.Errorf("%q: got %v, want %v", value, got, want)
		}
	}
}
