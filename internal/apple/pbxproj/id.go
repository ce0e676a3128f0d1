package pbxproj

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// id is the 24 hex digits of an object. It comes from what the object is called, so that writing twice gives the same
// file and a new source moves nothing else.
func id(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return fmt.Sprintf("%X", sum[:12])
}
