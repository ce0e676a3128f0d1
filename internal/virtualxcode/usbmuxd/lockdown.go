package usbmuxd

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/uuid"
	"ios-agent/internal/virtualxcode/world"
)

const (
	lockdownPort = 62078
	lockdownType = "com.apple.mobile.lockdown"
)

// The errors of lockdownd.
const (
	errInvalidHost     = "InvalidHostID"
	errNoSession       = "SessionInactive"
	errProhibited      = "GetProhibited"
	errMissingValue    = "MissingValue"
	errDialogPending   = "PairingDialogResponsePending"
	errUserDenied      = "UserDeniedPairing"
	errProtected       = "PasswordProtected"
	errInvalidService  = "InvalidService"
	errMissingRecord   = "MissingPairRecord"
	errInvalidRecord   = "InvalidPairRecord"
	errUnknownRequests = "InvalidRequest"
)

// talk is one connection to lockdownd.
type talk struct {
	*Server
	device  world.Physical
	conn    net.Conn
	who     *pairing // the session's TLS; nil: no session
	further func() bool
}

// lockdown is the first service of a device: it returns values, pairs hosts and starts the other services.
func (s *Server) lockdown(ctx context.Context, conn net.Conn, p world.Physical) {
	t := &talk{Server: s, device: p, conn: conn}
	for ctx.Err() == nil {
		request, err := readDown(t.conn)
		if err != nil {
			return
		}
		t.further = nil
		answer := t.answer(request)
		answer["Request"] = text(request, "Request")
		if writeDown(t.conn, answer) != nil || t.further != nil && !t.further() {
			return
		}
	}
}

func refused(why string) map[string]any { return map[string]any{"Error": why} }

func (t *talk) answer(request map[string]any) map[string]any {
	switch text(request, "Request") {
	case "QueryType":
		return map[string]any{"Type": lockdownType}
	case "GetValue":
		return t.value(text(request, "Domain"), text(request, "Key"))
	case "Pair":
		return t.pair(request)
	case "ValidatePair":
		return t.validate(request)
	case "Unpair":
		t.Server.save(t.device.UDID, nil)
		return map[string]any{}
	case "StartSession":
		return t.begin(text(request, "HostID"))
	case "StopSession":
		t.further = func() bool { return false } // clients then close the connection
		return map[string]any{}
	case "StartService":
		return t.start(text(request, "Service"))
	}
	return refused(errUnknownRequests)
}

// begin starts a session: later messages are encrypted.
func (t *talk) begin(hostID string) map[string]any {
	t.mu.Lock()
	who, known := t.trusted[t.device.UDID][hostID]
	t.mu.Unlock()
	if !known || !t.isPaired(t.device.UDID) {
		return refused(errInvalidHost)
	}
	config, err := who.server()
	if err != nil {
		return refused(err.Error())
	}
	t.further = func() bool {
		secret := tls.Server(t.conn, config)
		if secret.Handshake() != nil {
			return false
		}
		t.conn, t.who = secret, &who
		return true
	}
	return map[string]any{"SessionID": uuid.Of("session", t.device.UDID, hostID), "EnableSessionSSL": true}
}

// pair answers a pairing request. The first request makes the device ask its owner; the second finds that the owner agreed.
func (t *talk) pair(request map[string]any) map[string]any {
	if t.device.Locked {
		return refused(errProtected)
	}
	record, _ := request["PairRecord"].(map[string]any)
	who, err := readPairing(record)
	if err != nil {
		return refused(errInvalidRecord)
	}
	if hit, yes := t.World.TakeFault(t.device.UDID, flaw.DeviceUnpaired); yes && hit.Word("owner") == "denies" {
		return refused(errUserDenied)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.asking[t.device.UDID] {
		t.asking = set(t.asking, t.device.UDID, true)
		return refused(errDialogPending)
	}
	delete(t.asking, t.device.UDID)
	t.paired = set(t.paired, t.device.UDID, true)
	t.trust(t.device.UDID, who)
	return map[string]any{"EscrowBag": escrow(who.hostID)}
}

func (t *talk) validate(request map[string]any) map[string]any {
	record, _ := request["PairRecord"].(map[string]any)
	t.mu.Lock()
	_, known := t.trusted[t.device.UDID][text(record, "HostID")]
	t.mu.Unlock()
	switch {
	case !t.isPaired(t.device.UDID):
		return refused(errMissingRecord)
	case !known:
		return refused(errInvalidHost)
	}
	return map[string]any{}
}

// start opens a port for a service of the device.
func (t *talk) start(name string) map[string]any {
	switch {
	case t.who == nil:
		return refused(errNoSession)
	case services()[name] == nil:
		return refused(errInvalidService)
	}
	return map[string]any{"Service": name, "Port": t.open(t.device.UDID, opened{name, *t.who}), "EnableServiceSSL": true}
}

// The domain with the state of Developer Mode.
const (
	developerDomain = "com.apple.security.mac.amfi"
	developerKey    = "DeveloperModeStatus"
)

// value returns a value, or all values of a domain. Most need a trusted host.
func (t *talk) value(domain, key string) map[string]any {
	values, err := t.values(domain)
	if err != nil {
		return refused(err.Error())
	}
	out := map[string]any{"Domain": domain, "Key": key}
	if domain == "" {
		delete(out, "Domain")
	}
	if key == "" {
		delete(out, "Key")
		if t.who == nil {
			for name := range values {
				if !slices.Contains(public(), name) {
					delete(values, name)
				}
			}
		}
		out["Value"] = values
		return out
	}
	value, known := values[key]
	switch {
	case !known:
		return refused(errMissingValue)
	case t.who == nil && !slices.Contains(public(), key):
		return refused(errProhibited)
	}
	out["Value"] = value
	return out
}

// public are the values for every host.
func public() []string {
	return []string{"DeviceClass", "DeviceName", "DevicePublicKey", "HardwareModel", "ProductType", "ProductVersion", "ProtocolVersion",
		"UniqueChipID", "UniqueDeviceID", "WiFiAddress"}
}

func (t *talk) values(domain string) (map[string]any, error) {
	p := t.device
	if domain == developerDomain {
		return map[string]any{developerKey: !t.happens(p.UDID, flaw.DeveloperModeOff)}, nil
	}
	if domain != "" {
		return map[string]any{}, nil
	}
	t.mu.Lock()
	keys := t.keys()
	t.mu.Unlock()
	key, err := keys.public()
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"ActivationState": "Activated", "BuildVersion": p.Hardware.Build, "CPUArchitecture": "arm64e", "DeviceClass": p.Type.Family,
		"DeviceName": p.Name, "DevicePublicKey": key, "HardwareModel": p.Board,
		"PasswordProtected": p.Locked || t.happens(p.UDID, flaw.DeviceLocked),
		"ProductName":       "iPhone OS", "ProductType": p.Type.Model, "ProductVersion": p.Runtime.Version, "ProtocolVersion": "2",
		"SerialNumber": p.Serial, "UniqueChipID": p.ECID, "UniqueDeviceID": p.UDID, "WiFiAddress": wifiAddress(p),
	}, nil
}

// wifiAddress is a fixed address per device.
func wifiAddress(p world.Physical) string {
	id := strings.ToLower(strings.ReplaceAll(p.Identifier, "-", ""))
	return "02:" + id[0:2] + ":" + id[2:4] + ":" + id[4:6] + ":" + id[6:8] + ":" + id[8:10]
}
