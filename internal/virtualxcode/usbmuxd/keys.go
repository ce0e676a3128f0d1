package usbmuxd

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"sync"
	"time"

	"howett.net/plist"

	"ios-agent/internal/virtualxcode/uuid"
)

// systemBUID is what this computer is called in pair records.
const systemBUID = "3FA8C1D2-5B64-4E07-9A1C-77D0E2B4C95F"

// keys are those of all devices and of this computer. Each is made once, when it is first needed: making it takes a while.
type keys struct{ device, computer func() (crypto.Signer, error) }

// Those of real pair records are RSA keys; libimobiledevice reads no others. A world that only our own driver reaches has quick ones: each
// list of devices encrypts a connection to each of them, which would take a third of the time of our tests.
var (
	realKeys  = newKeys(func() (crypto.Signer, error) { return rsa.GenerateKey(rand.Reader, 2048) })
	quickKeys = newKeys(func() (crypto.Signer, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) })
)

func newKeys(one func() (crypto.Signer, error)) *keys {
	return &keys{sync.OnceValues(one), sync.OnceValues(one)}
}

func (s *Server) keys() *keys {
	if s.Foreign {
		return realKeys
	}
	return quickKeys
}

// public is how a device tells its key.
func (k *keys) public() ([]byte, error) {
	key, err := k.device()
	if err != nil {
		return nil, err
	}
	if of, is := key.Public().(*rsa.PublicKey); is {
		return inPEM("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(of)), nil
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	return inPEM("PUBLIC KEY", der), err
}

// private is a key as a pair record has it.
func private(key crypto.Signer) ([]byte, error) {
	if of, is := key.(*rsa.PrivateKey); is {
		return inPEM("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(of)), nil
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return inPEM("PRIVATE KEY", der), err
}

func inPEM(kind string, data []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data})
}

// pairing is a host that a device trusts.
type pairing struct {
	hostID string
	host   []byte // its certificate, in DER
	root   []byte // the one that signed both, in DER: libimobiledevice shows it instead of its own
	device []byte // that of the device, which the host made, in DER
}

// readPairing reads the part of a pair record that a host sends with a request to pair.
func readPairing(record map[string]any) (p pairing, err error) {
	p.hostID = text(record, "HostID")
	for key, to := range map[string]*[]byte{
		"HostCertificate": &p.host, "RootCertificate": &p.root, "DeviceCertificate": &p.device,
	} {
		data, _ := record[key].([]byte)
		block, _ := pem.Decode(data)
		if block == nil {
			return p, errors.New("a pair record without " + key)
		}
		*to = block.Bytes
	}
	if p.hostID == "" {
		return p, errors.New("a pair record without HostID")
	}
	return p, nil
}

// server is the TLS of a device: it shows the certificate that the host made for it, and wants that of the host.
func (p pairing) server(k *keys) (*tls.Config, error) {
	key, err := k.device()
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{p.device}, PrivateKey: key}},
		ClientAuth:   tls.RequireAnyClientCert, // who signed it says nothing: a device knows its hosts by their certificates
		VerifyPeerCertificate: func(raw [][]byte, _ [][]*x509.Certificate) error {
			if len(raw) == 0 || !bytes.Equal(raw[0], p.host) && !bytes.Equal(raw[0], p.root) {
				return errors.New("another host than the one that is paired")
			}
			return nil
		},
	}, nil
}

// newRecord makes a pair record, as a computer does that is being paired.
func (k *keys) newRecord(wifi string) (record []byte, who pairing, err error) {
	device, err := k.device()
	if err != nil {
		return nil, who, err
	}
	computer, err := k.computer()
	if err != nil {
		return nil, who, err
	}
	certify := func(of crypto.Signer, authority bool) []byte {
		serial, failed := rand.Int(rand.Reader, big.NewInt(1<<62)) // else two records of one moment had the same certificate
		err = errors.Join(err, failed)
		about := &x509.Certificate{
			SerialNumber: serial, Subject: pkix.Name{}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
			BasicConstraintsValid: true, IsCA: authority,
		}
		der, failed := x509.CreateCertificate(rand.Reader, about, &x509.Certificate{}, of.Public(), computer)
		err = errors.Join(err, failed)
		return der
	}
	who = pairing{
		hostID: uuid.Of("host", wifi), root: certify(computer, true), host: certify(computer, false), device: certify(device, false),
	}
	key, failed := private(computer)
	if err = errors.Join(err, failed); err != nil {
		return nil, who, err
	}
	record, err = plist.Marshal(map[string]any{
		"HostID": who.hostID, "SystemBUID": systemBUID, "WiFiMACAddress": wifi, "EscrowBag": escrow(who.hostID),
		"HostCertificate": inPEM("CERTIFICATE", who.host), "HostPrivateKey": key,
		"RootCertificate": inPEM("CERTIFICATE", who.root), "RootPrivateKey": key,
		"DeviceCertificate": inPEM("CERTIFICATE", who.device),
	}, plist.XMLFormat)
	return record, who, err
}

// escrow is what a device gives to a host that it trusts, by which the host can reach it while it is locked. It opens nothing here.
func escrow(hostID string) []byte { return []byte("escrow of " + hostID) }
