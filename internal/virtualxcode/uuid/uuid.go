// Package uuid derives UUIDs from names (Of): the same name always has the same UUID, so the output of Virtual Xcode is repeatable. The
// UUIDs look random, as Apple's do, but contain neither time nor chance.
package uuid

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Of returns the UUID, in capitals, of an object named by words.
func Of(words ...string) string {
	b := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return strings.ToUpper(fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16]))
}
