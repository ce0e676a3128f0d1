package wda_test

import (
	"net/http"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/test/hugetree"
)

func hugeFront() *hugetree.Front {
	return &hugetree.Front{
		Asks:  func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/source") },
		Begin: func(w http.ResponseWriter) { hugetree.Put(w, `{"value":`) },
		Write: func(w http.ResponseWriter, tree []byte) {
			hugetree.Put(w, `{"value":`, string(tree), `,"sessionId":null}`)
		},
	}
}

func TestHugeTreeOfWebDriverAgentIsBounded(t *testing.T) {
	front := hugeFront()
	s := newStand(t, front.Around)
	hugetree.IsBounded(t, get[device.Eyes](s), front.Show)
}

// Who leaves while a huge tree is read ends the look at once, and the device serves the next caller, through our agent too.
func TestLookAtHugeTreeOfWebDriverAgentEndsWithItsCaller(t *testing.T) {
	front := hugeFront()
	s := newStand(t, front.Around)
	s.look()
	hugetree.EndWithTheirCaller(t, get[device.Eyes](s), front, func() {
		s.look()
		_, err := s.Phone.(device.Eyes).Observe(t.Context(), device.Wait{})
		s.Must(err)
	})
}
