package mitm

import "time"

// SetQuiet makes tests of servers that speak first quick.
func (p *Proxy) SetQuiet(d time.Duration) { p.quiet = d }

// Leaf is what an app is shown for a host.
func (p *Proxy) Leaf(host string) ([][]byte, error) {
	cert, err := p.leaves.of(host)
	if err != nil {
		return nil, err
	}
	return cert.Certificate, nil
}

// Leaves is how many are remembered.
func (p *Proxy) Leaves() int { return p.leaves.used.Len() }

// SetMostLeaves makes the test of their bound quick.
func (p *Proxy) SetMostLeaves(n int) { p.leaves.most = n }
