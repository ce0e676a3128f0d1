package usbmux

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"

	"ios-agent/internal/machine/docfile"
)

const lockdownPort = 62078

// record is the used part of a pair record. It is never printed: see Format.
type record struct {
	HostID            string
	SystemBUID        string
	HostCertificate   []byte
	HostPrivateKey    []byte
	DeviceCertificate []byte
}

// Format keeps the keys out of every message.
func (record) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("a pair record")) }

// record reads the pair record of a device.
func (m *Mux) record(ctx context.Context, udid string) (r record, err error) {
	c, err := m.dial(ctx)
	if err != nil {
		return r, err
	}
	defer c.Close()
	answer, err := c.ask(map[string]any{"MessageType": "ReadPairRecord", "PairRecordID": udid})
	if err != nil {
		return r, because(ctx, err)
	}
	data, is := answer["PairRecordData"].([]byte)
	if !is {
		return r, &UnpairedError{udid}
	}
	if err := docfile.Plist(data, &r); err != nil || r.HostID == "" {
		return record{}, fmt.Errorf("cannot read the pair record of %s", udid)
	}
	return r, nil
}

// secret is an encrypted connection to the device with the keys of the pair record. The device proves its identity with its key, whose
// certificate this computer created when it paired.
func (r record) secret(ctx context.Context, c net.Conn) (*tls.Conn, error) {
	host, err := tls.X509KeyPair(r.HostCertificate, r.HostPrivateKey)
	if err != nil {
		return nil, errors.New("the pair record has no usable key")
	}
	block, _ := pem.Decode(r.DeviceCertificate)
	if block == nil {
		return nil, errors.New("the pair record has no certificate of the device")
	}
	device, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, errors.New("the pair record has no usable certificate of the device")
	}
	s := tls.Client(c, &tls.Config{
		Certificates: []tls.Certificate{host}, InsecureSkipVerify: true, // no authority signs these certificates: session compares the key
		VerifyPeerCertificate: func(raw [][]byte, _ [][]*x509.Certificate) error {
			if len(raw) > 0 {
				shown, err := x509.ParseCertificate(raw[0])
				if err == nil && string(shown.RawSubjectPublicKeyInfo) == string(device.RawSubjectPublicKeyInfo) {
					return nil
				}
			}
			c.Close() // send nothing, and do not wait for an answer
			return errors.New("the device that answers is not the paired one")
		},
	})
	return s, s.HandshakeContext(ctx)
}

// session is a connection to lockdownd of a device, encrypted if the device trusts this computer.
type session struct {
	conn   *conn
	stream net.Conn // over conn
	device Device
	record record
}

// lockdown connects to lockdownd. With a pair record it starts a session.
func (m *Mux) lockdown(ctx context.Context, d Device, r *record) (*session, error) {
	c, err := m.open(ctx, d, lockdownPort)
	if err != nil {
		return nil, err
	}
	s := &session{conn: &conn{Conn: c, stop: context.AfterFunc(ctx, func() { c.Close() })}, stream: c, device: d}
	s.conn.limit()
	if r == nil {
		return s, nil
	}
	s.record = *r
	_, err = s.ask(map[string]any{"Request": "StartSession", "HostID": r.HostID, "SystemBUID": r.SystemBUID})
	if err == nil {
		s.stream, err = r.secret(ctx, c)
	}
	if err != nil {
		s.Close()
		return nil, because(ctx, err)
	}
	return s, nil
}

// Close ends the connection and its session.
func (s *session) Close() { s.conn.Close() }

// ask sends a request to lockdownd and returns its answer.
func (s *session) ask(request map[string]any) (map[string]any, error) {
	request["Label"], request["ProtocolVersion"] = "ios-agent", "2"
	if err := tell(s.stream, request); err != nil {
		return nil, err
	}
	answer, err := hear(s.stream)
	if err != nil {
		return nil, err
	}
	if why := text(answer, "Error"); why != "" {
		return nil, &LockdownError{s.device.UDID, text(request, "Request"), why}
	}
	return answer, nil
}

// value reads a value, or all values of a domain.
func (s *session) value(domain, key string) (any, error) {
	request := map[string]any{"Request": "GetValue"}
	if domain != "" {
		request["Domain"] = domain
	}
	if key != "" {
		request["Key"] = key
	}
	answer, err := s.ask(request)
	return answer["Value"], err
}

// About is a device's description of itself.
type About struct {
	Device
	Name, Class, Product, Version, Serial string
	Paired                                bool
	// DeveloperMode and Locked require a paired device.
	DeveloperMode *bool // nil before iOS 16, or if the device does not report it
	Locked        bool
}

// About asks a device for its description, which is shorter if the device does not trust this computer.
func (m *Mux) About(ctx context.Context, udid string) (About, error) {
	d, err := m.device(ctx, udid)
	if err != nil {
		return About{}, err
	}
	return m.about(ctx, d)
}

func (m *Mux) about(ctx context.Context, d Device) (About, error) {
	a := About{Device: d}
	s, err := m.session(ctx, d)
	var unpaired *UnpairedError
	if errors.As(err, &unpaired) {
		s, err = m.lockdown(ctx, d, nil)
	} else {
		a.Paired = err == nil
	}
	if err != nil {
		return a, err
	}
	defer s.Close()
	all, err := s.value("", "")
	if err != nil {
		return a, because(ctx, err)
	}
	values, _ := all.(map[string]any)
	a.Name, a.Class, a.Product = text(values, "DeviceName"), text(values, "DeviceClass"), text(values, "ProductType")
	a.Version, a.Serial = text(values, "ProductVersion"), text(values, "SerialNumber")
	if a.Paired {
		a.Locked, _ = values["PasswordProtected"].(bool)
		on, err := s.value("com.apple.security.mac.amfi", "DeveloperModeStatus")
		if mode, is := on.(bool); is && err == nil {
			a.DeveloperMode = &mode
		}
	}
	return a, because(ctx, ctx.Err())
}

// session starts a session with a device that trusts this computer. A device that has forgotten the trust counts as unpaired.
func (m *Mux) session(ctx context.Context, d Device) (*session, error) {
	r, err := m.record(ctx, d.UDID)
	if err != nil {
		return nil, err
	}
	s, err := m.lockdown(ctx, d, &r)
	var no *LockdownError
	if errors.As(err, &no) && no.Why == "InvalidHostID" {
		return nil, &UnpairedError{d.UDID}
	}
	return s, err
}

// Service connects to a service of a device. The ctx covers connecting only. The caller closes the connection.
func (m *Mux) Service(ctx context.Context, udid, name string) (net.Conn, error) {
	d, err := m.device(ctx, udid)
	if err != nil {
		return nil, err
	}
	s, err := m.session(ctx, d)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	answer, err := s.ask(map[string]any{"Request": "StartService", "Service": name})
	if err != nil {
		return nil, because(ctx, err)
	}
	c, err := m.open(ctx, d, number(answer["Port"]))
	if err != nil {
		return nil, err
	}
	if encrypted, _ := answer["EnableServiceSSL"].(bool); !encrypted {
		return c, nil
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	secret, err := s.record.secret(wait, c)
	if err != nil {
		c.Close()
		return nil, because(ctx, err)
	}
	return secret, nil
}
