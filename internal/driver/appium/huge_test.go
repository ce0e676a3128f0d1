package appium_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/test/hugetree"
)

// asksForTree reports whether a command reads the tree. The server after this one reads its body again.
func asksForTree(r *http.Request) bool {
	if !strings.HasSuffix(r.URL.Path, "/execute/sync") {
		return false
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil && bytes.Contains(body, []byte("mobile: source"))
}

// hugeStand is a stand whose server shows huge trees.
func hugeStand(t *testing.T) (*stand, *hugetree.Front) {
	front := &hugetree.Front{
		Asks:  asksForTree,
		Begin: func(w http.ResponseWriter) { hugetree.Put(w, `{"value":`) },
		Write: func(w http.ResponseWriter, tree []byte) { hugetree.Put(w, `{"value":`, string(tree), `}`) },
	}
	s := newStand(t)
	s.server.Config.Handler = front.Around(s.front)
	return s, front
}

func TestHugeTreeOfAppiumIsBounded(t *testing.T) {
	s, front := hugeStand(t)
	hugetree.IsBounded(t, able[device.Eyes](s), front.Show)
}

// Who leaves while a huge tree is read ends the look at once, and the device serves the next caller, through our agent too.
func TestLookAtHugeTreeOfAppiumEndsWithItsCaller(t *testing.T) {
	s, front := hugeStand(t)
	s.look(t)
	hugetree.EndWithTheirCaller(t, able[device.Eyes](s), front, func() {
		s.look(t)
		_, err := s.Phone.(device.Eyes).Observe(t.Context(), device.Wait{})
		s.Must(err)
	})
}
