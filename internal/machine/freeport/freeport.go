// Package freeport finds a free TCP port of this computer, for a program that cannot choose one itself. Find asks the kernel for it. The
// port is not reserved: another program may take it before the caller's program does.
package freeport

import "net"

// Find asks the kernel for a port that is free now. Another program may take it before its user does.
func Find() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
