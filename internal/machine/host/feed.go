package host

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// feed gives a program its input. os/exec would do it too, but waits for ever for a reader that never ends.
type feed struct {
	w      io.WriteCloser
	failed chan error
}

// feeds is false for what needs no copying: nothing, and a file, which a program gets as it is.
func (c Cmd) feeds() bool {
	_, file := c.Stdin.(*os.File)
	return c.Stdin != nil && !file
}

// begin copies, if there is where to. The copy may be stuck in a Read of the caller's reader after the program is
// gone; it ends with that Read.
func (f *feed) begin(w io.WriteCloser, from io.Reader) {
	if w == nil {
		return
	}
	f.w, f.failed = w, make(chan error, 1)
	go func() {
		_, err := io.Copy(w, from)
		f.failed <- err // before the close: who exits because of the end of input finds the reason
		w.Close()
	}()
}

// exited ends the feeding and tells why the reader failed, if it did. A program that did not want all of its input is
// no failure.
func (f *feed) exited() error {
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
