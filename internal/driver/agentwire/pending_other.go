//go:build !unix

package agentwire

import "net"

// pending cannot peek on this platform: the next request finds a dead peer.
func pending(net.Conn) (bool, error) { return false, nil }
