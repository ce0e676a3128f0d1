package host

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// stdinCopier copies a program's input to its pipe. os/exec would do it too, but it waits for ever for a reader that never ends.
type stdinCopier struct {
	w      io.WriteCloser
	failed chan error
}

// feeds reports whether the input must be copied. The program gets a file directly as its stdin.
func (c Cmd) feeds() bool {
	_, file := c.Stdin.(*os.File)
	return c.Stdin != nil && !file
}

// begin starts to copy, if w is not nil. The goroutine may still be in a Read of the caller's reader after the program has ended; it ends
// when that Read returns.
func (f *stdinCopier) begin(w io.WriteCloser, from io.Reader) {
	if w == nil {
		return
	}
	f.w, f.failed = w, make(chan error, 1)
	go func() {
		_, err := io.Copy(w, from)
		f.failed <- err // sent before the close, so that exited finds it when the program ends because its input ended
		w.Close()
	}()
}

// close ends the program's input, even if the reader has more.
func (f *stdinCopier) close() {
	if f.w != nil {
		f.w.Close()
	}
}

// exited ends the copying and returns the reader's error, if any. A program that did not read all of its input is not an error.
func (f *stdinCopier) exited() error {
	if f.w == nil {
		return nil
	}
	f.w.Close()
	select {
	case err := <-f.failed:
		if errors.Is(err, unix.EPIPE) || errors.Is(err, os.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
			return nil
		}
		return err
	default:
		return nil
	}
}
