package daemon

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/private"
	"ios-agent/internal/machine/wholefile"
)

// Key is the key of the HTTP surface. Only the file holds it: a new key counts from the next request on, without a message to the daemon.
type Key struct {
	Path string
}

// minKey is how many characters a key has at least: others could guess a shorter one.
const minKey = 32

// Read gives the key, made on first use and readable by its owner only. A key that somebody made too short is refused.
func (k *Key) Read() (string, error) {
	if err := private.ClosedFile(k.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	raw, err := os.ReadFile(k.Path)
	if err == nil && len(raw) > 0 {
		key := strings.TrimSpace(string(raw))
		if len(key) < minKey {
			return "", fault.New(fault.PathError, "the key in %s has fewer than %d characters", k.Path, minKey).
				WithHint("make a new one: %s", hint.Command("ios-agent key rotate"))
		}
		return key, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return k.Rotate()
}

// Rotate makes a new key. It replaces the file whole: readers never see half of a key.
func (k *Key) Rotate() (string, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return "", err
	}
	key := hex.EncodeToString(secret)
	return key, wholefile.Write(k.Path, []byte(key+"\n"))
}
