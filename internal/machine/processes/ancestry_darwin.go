package processes

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

func ownerOf(pid int) (parent, uid int, err error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, 0, err
	}
	return int(k.Eproc.Ppid), int(k.Eproc.Ucred.Uid), nil
}

// wordsOf reads kern.procargs2: the number of arguments in 4 bytes, the path of the program, zeros, and then the arguments, each followed
// by a zero.
func wordsOf(pid int) (path string, args []string) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 5 {
		return "", nil
	}
	count := binary.LittleEndian.Uint32(raw)
	program, rest, _ := bytes.Cut(raw[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	for range min(count, 1024) {
		word, after, found := bytes.Cut(rest, []byte{0})
		if !found {
			break
		}
		args, rest = append(args, string(word)), after
	}
	return string(program), args
}
