package host

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// feed gives a child its input. os/exec would do it too, but waits for ever for a reader that never ends.
type feed struct {
	from   io.Reader
	r, w   *os.File
	failed chan error
}

// open returns what the child gets as stdin: nil for /dev/null, a file as it is, anything else through a pipe.
func (f *feed) open(from io.Reader) (io.Reader, error) {
	if _, ok := from.(*os.File); ok || from == nil {
		return from, nil
	}
	var err error
	if f.r, f.w, err = os.Pipe(); err != nil {
		return nil, err
	}
	f.from, f.failed = from, make(chan error, 1)
	return f.r, nil
}

// begin closes the child's end and, if there is a child, copies. The copy may be stuck in a Read of the caller's
// reader after the child is gone; it ends with that Read.
func (f *feed) begin(started bool) {
	if f.r == nil {
		return
	}
	f.r.Close()
	if !started {
		f.w.Close()
		return
	}
	go func() {
		_, err := io.Copy(f.w, f.from)
		f.failed <- err // before the close: who exits because of the end of input finds the reason
		f.w.Close()
	}()
}

// exited ends the feeding and tells why the reader failed, if it did. A child that did not want all of its input is no
// failure.
func (f *feed) exited() error {
	if f.w == nil {
		return nil
	}
	f.w.Close()
	select {
	case err := <-f.failed:
		if errors.Is(err, unix.EPIPE) || errors.Is(err, os.ErrClosed) {
			return nil
		}
		return err
	default:
		return nil
	}
}
