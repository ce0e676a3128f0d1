package idb_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/idb"
	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/hugetree"
	"ios-agent/test/rig"
)

// hugeStand is a phone whose companion shows huge trees, read from outside.
func hugeStand(t *testing.T) (*stand, *hugetree.Front) {
	front := &hugetree.Front{
		Asks: func(r *http.Request) bool { return r.URL.Path == idbwire.AccessibilityInfo },
		Begin: func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", idbwire.ContentType)
			hugetree.Put(w, "\x00\x02\x00\x00\x00") // the header of a message of 32 MB
		},
		Write: func(w http.ResponseWriter, tree []byte) {
			w.Header().Set("Content-Type", idbwire.ContentType)
			hugetree.Put(w, string(idbwire.Frame(&idbwire.AccessibilityInfoResponse{JSON: `[` + string(tree) + `]`})))
			w.Header().Set(http.TrailerPrefix+idbwire.StatusTrailer, "0")
		},
	}
	s := &stand{Rig: rig.New(t), t: t}
	server := httptest.NewUnstartedServer(front.Around(virtualxcode.NewIDBCompanion(s.World, s.Info.UDID)))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	s.phone = idb.New(idb.Options{Clock: s.World}).Open(s.Info, server.URL)
	t.Cleanup(func() { s.Must(s.phone.Close()) })
	return s, front
}

// The elements of closed containers are looked for by points: of a huge number of containers only some are opened.
func TestProbesOfClosedContainersAreBounded(t *testing.T) {
	s, front := hugeStand(t)
	asked := 0
	const frame = `"frame":{"x":0,"y":0,"width":40,"height":40}`
	tree := `[{"type":"Application","AXLabel":" ",` + frame + `,"children":[{}` +
		strings.Repeat(`,{"type":"Group","AXLabel":"g",`+frame+`,"children":[]}`, 40_000) + `]}]`
	front.Show(1)
	front.Write = func(w http.ResponseWriter, _ []byte) {
		asked++
		w.Header().Set("Content-Type", idbwire.ContentType)
		hugetree.Put(w, string(idbwire.Frame(&idbwire.AccessibilityInfoResponse{JSON: tree})))
		w.Header().Set(http.TrailerPrefix+idbwire.StatusTrailer, "0")
		tree = `[]`
	}
	screen := looks(t, s.phone)
	if want := 1_000; asked > want || screen.Truncated != 40_002-device.MostNodes {
		t.Errorf("got %d questions and %d elements left out, want at most %d and %d", asked, screen.Truncated, want, 40_002-device.MostNodes)
	}
}

func TestHugeTreeOfCompanionIsBounded(t *testing.T) {
	s, front := hugeStand(t)
	hugetree.IsBounded(t, get[device.Eyes](s), front.Show)
}

// Who leaves while a huge tree is read ends the look at once, and the device serves the next caller, through our agent too.
func TestLookAtHugeTreeOfCompanionEndsWithItsCaller(t *testing.T) {
	s, front := hugeStand(t)
	s.look()
	hugetree.EndWithTheirCaller(t, get[device.Eyes](s), front, func() {
		s.look()
		_, err := s.Phone.(device.Eyes).Observe(t.Context(), device.Wait{})
		s.Must(err)
	})
}
