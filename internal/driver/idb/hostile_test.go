package idb_test

import (
	"encoding/binary"
	"net/http"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/idb"
	"ios-agent/internal/driver/idbwire"
	"ios-agent/test/hostileserver"
)

// companions are the kinds of servers that should speak gRPC.
func companions() []hostileserver.Kind {
	frame := func(message any) string { return string(idbwire.Frame(message)) }
	long := string(binary.BigEndian.AppendUint32([]byte{0}, 1<<31))
	tree := frame(&idbwire.AccessibilityInfoResponse{JSON: strings.Repeat("[", 20_000)})
	all := hostileserver.Kinds(idbwire.ContentType, "\x00\x02\x00\x00\x00") // a message of 32 MB
	for name, body := range map[string]string{
		"nothing": "", "half a header": "\x00\x00", "a long message": long + "x", "a packed message": "\x01\x00\x00\x00\x00",
		"an empty message": frame(&idbwire.Empty{}), "bytes": "\x00\x00\x00\x00\x04\xff\xff\xff\xff", "a page": "<html>", "a deep tree": tree,
		"a hundred messages": strings.Repeat(frame(&idbwire.Empty{}), 100),
	} {
		for status, word := range map[string]string{"": "", "0": " well", "13": " badly", "-7": " strangely", "x": " with a word"} {
			all = append(all, hostileserver.Kind{Name: "answers " + name + " and ends" + word, Answer: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", idbwire.ContentType)
				_, _ = w.Write([]byte(body)) // the client may have left
				if status != "" {
					w.Header().Set(http.TrailerPrefix+idbwire.StatusTrailer, status)
					w.Header().Set(http.TrailerPrefix+idbwire.MessageTrailer, strings.Repeat("%1b[2J", 500))
				}
			}})
		}
	}
	return append(all, hostileserver.Saying("is no companion", http.StatusOK, "text/html", []byte("<html>")))
}

// describes answers honestly which simulator the companion serves.
func describes(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != idbwire.Describe {
		return false
	}
	w.Header().Set("Content-Type", idbwire.ContentType)
	_, _ = w.Write(idbwire.Frame(&idbwire.TargetDescriptionResponse{
		Target: &idbwire.TargetDescription{UDID: hostileserver.Device.UDID, Name: hostileserver.Device.Name, State: "Booted"},
	}))
	w.Header().Set(http.TrailerPrefix+idbwire.StatusTrailer, "0")
	return true
}

// TestCallsSurviveHostileCompanions: every call ends within its deadline, with a fault that names the device or the server, whether the
// server is hostile from the beginning or once it has said which simulator it serves.
func TestCallsSurviveHostileCompanions(t *testing.T) {
	for name, honest := range map[string]hostileserver.Honest{"all": nil, "but the description": describes} {
		t.Run(name, func(t *testing.T) {
			hostileserver.Survives(t, companions(), func(s *hostileserver.Server) device.Device {
				return idb.New(idb.Options{}).Through(s.Dial).Open(hostileserver.Device, "http://"+hostileserver.At+":10882")
			}, honest)
		})
	}
}
