// Package freeport finds a port of this computer for a program that cannot choose one itself.
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
