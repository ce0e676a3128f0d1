package usbmuxd

import (
	"bytes"
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

// The keys of all devices and of this computer. Each is made once, when it is first needed: making it takes a while. They are RSA
// keys as those of real pair records, because libimobiledevice reads no others.
var (
	deviceKey   = sync.OnceValues(newKey)
	computerKey = sync.OnceValues(newKey)
)

func newKey() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) }

// devicePublicKey is how a device tells its key.
func devicePublicKey() ([]byte, error) {
	key, err := deviceKey()
	if err != nil {
		return nil, err
	}
	return inPEM("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&key.PublicKey)), nil
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
func (p pairing) server() (*tls.Config, error) {
	key, err := deviceKey()
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
func newRecord(wifi string) (record []byte, who pairing, err error) {
	device, err := deviceKey()
	if err != nil {
		return nil, who, err
	}
	computer, err := computerKey()
	if err != nil {
		return nil, who, err
	}
	certify := func(of *rsa.PrivateKey, authority bool) []byte {
		serial, failed := rand.Int(rand.Reader, big.NewInt(1<<62)) // else two records of one moment had the same certificate
		err = errors.Join(err, failed)
		about := &x509.Certificate{
			SerialNumber: serial, Subject: pkix.Name{}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
			BasicConstraintsValid: true, IsCA: authority,
		}
		der, failed := x509.CreateCertificate(rand.Reader, about, &x509.Certificate{}, &of.PublicKey, computer)
		err = errors.Join(err, failed)
		return der
	}
	who = pairing{
		hostID: uuid.Of("host", wifi), root: certify(computer, true), host: certify(computer, false), device: certify(device, false),
	}
	if err != nil {
		return nil, who, err
	}
	key := inPEM("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(computer))
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
