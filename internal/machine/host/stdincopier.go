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

// feeds reports whether the input must be copied. A file need not be: the program gets it as its stdin.
func (c Cmd) feeds() bool {
	_, file := c.Stdin.(*os.File)
	return c.Stdin != nil && !file
}

// begin starts to copy, if w is not nil. The copying goroutine may stay in a Read of the caller's reader after the program
// is gone; it ends when that Read returns.
func (f *stdinCopier) begin(w io.WriteCloser, from io.Reader) {
	if w == nil {
		return
	}
	f.w, f.failed = w, make(chan error, 1)
	go func() {
		_, err := io.Copy(w, from)
		f.failed <- err // before the close: exited finds the reason when the program ends because of the end of input
		w.Close()
	}()
}

// close ends the program's input, whatever the reader has still to give.
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
