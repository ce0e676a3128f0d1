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

// systemBUID is the id of this computer in pair records.
const systemBUID = "3FA8C1D2-5B64-4E07-9A1C-77D0E2B4C95F"

// keys are the keys of all devices and of this computer. Each is made once, on first use, because making a key is slow.
type keys struct {
	kind             string
	device, computer func() (crypto.Signer, error)
}

// Real pair records have RSA keys, and libimobiledevice reads no other keys. Until another program connects, our own driver gets fast keys:
// every list of devices opens an encrypted connection to each device, which would take a third of our tests' time with RSA.
var (
	realKeys  = newKeys("rsa", func() (crypto.Signer, error) { return rsa.GenerateKey(rand.Reader, 2048) })
	quickKeys = newKeys("ecdsa", func() (crypto.Signer, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) })
)

func newKeys(kind string, one func() (crypto.Signer, error)) *keys {
	return &keys{kind, sync.OnceValues(one), sync.OnceValues(one)}
}

// keys are for the next pairing. The caller holds the lock.
func (s *Server) keys() *keys {
	if s.foreign {
		return realKeys
	}
	return quickKeys
}

// keys are the keys that the certificates of a pairing were made for.
func (p pairing) keys() *keys {
	if made, err := x509.ParseCertificate(p.device); err == nil && made.PublicKeyAlgorithm == x509.ECDSA {
		return quickKeys
	}
	return realKeys
}

// public encodes a device's public key.
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

// private encodes a key for a pair record.
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
	root   []byte // the certificate of the authority that signed both, in DER: libimobiledevice shows it instead of its own
	device []byte // the device's certificate, which the host made, in DER
}

// readPairing reads the part of a pair record that a host sends with a pairing request.
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

// server is the TLS configuration of a device: it presents the certificate that the host made for it, and requires the host's
// certificate.
func (p pairing) server() (*tls.Config, error) {
	key, err := p.keys().device()
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{p.device}, PrivateKey: key}},
		ClientAuth:   tls.RequireAnyClientCert, // the signature is irrelevant: a device knows its hosts by their certificates
		VerifyPeerCertificate: func(raw [][]byte, _ [][]*x509.Certificate) error {
			if len(raw) == 0 || !bytes.Equal(raw[0], p.host) && !bytes.Equal(raw[0], p.root) {
				return errors.New("the host is not the paired host")
			}
			return nil
		},
	}, nil
}

// newRecord makes a pair record, like a computer during pairing.
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
		serial, failed := rand.Int(rand.Reader, big.NewInt(1<<62)) // otherwise two records of the same second had the same certificate
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
		hostID: uuid.Of("host", k.kind, wifi), root: certify(computer, true), host: certify(computer, false), device: certify(device, false),
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

// escrow is the escrow bag that lets a trusted host reach a locked device. Here it has no effect.
func escrow(hostID string) []byte { return []byte("escrow of " + hostID) }
