package mitm

import (
	"container/list"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// mostLeaves bounds the cached certificates: a page has some dozen hosts, a day some hundred.
const mostLeaves = 1024

// leaves caches the certificates of hosts, each made at its first use. All share one key, made for this process.
type leaves struct {
	ca  *CA
	key *ecdsa.PrivateKey

	mu     sync.Mutex
	byName map[string]*list.Element // of *leaf
	used   *list.List               // most recently used first
	most   int
}

type leaf struct {
	name string
	cert *tls.Certificate
}

func newLeaves(ca *CA) (*leaves, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return &leaves{ca: ca, key: key, byName: map[string]*list.Element{}, used: list.New(), most: mostLeaves}, nil
}

// of is the certificate of a host. Two simultaneous calls may both sign, which takes 50 µs; the later certificate stays.
func (l *leaves) of(host string) (*tls.Certificate, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	now := time.Now()
	if cert := l.known(host, now); cert != nil {
		return cert, nil
	}
	cert, err := l.ca.sign(host, l.key, now)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.byName[host]; old != nil {
		l.used.Remove(old)
	}
	l.byName[host] = l.used.PushFront(&leaf{host, cert})
	for l.used.Len() > l.most {
		oldest := l.used.Back()
		delete(l.byName, l.used.Remove(oldest).(*leaf).name)
	}
	return cert, nil
}

func (l *leaves) known(host string, now time.Time) *tls.Certificate {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.byName[host]
	if e == nil {
		return nil
	}
	cert := e.Value.(*leaf).cert
	if now.Add(24 * time.Hour).After(cert.Leaf.NotAfter) {
		return nil
	}
	l.used.MoveToFront(e)
	return cert
}

// asAddress parses an IP address, with or without brackets.
func asAddress(host string) (net.IP, bool) {
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		return nil, false
	}
	return addr.Unmap().WithZone("").AsSlice(), true
}
