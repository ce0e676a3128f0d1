package pbxproj

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// id is the 24 hex digits of an object. It is derived from the object's name, so that writing twice gives the same file and a new source
// changes no other id.
func id(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return fmt.Sprintf("%X", sum[:12])
}
