package atspi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"ios-agent/internal/driver/x11"
	"ios-agent/internal/fault"
)

// display is a connection to an X server.
type display struct {
	name  string
	conn  *xgb.Conn
	line  net.Conn
	setup *xproto.SetupInfo
	root  xproto.Window
	size  [2]int
	atoms map[string]xproto.Atom
	apart map[xproto.Window]bool // windows whose pixels the server stores separately
	gone  atomic.Bool            // the connection has ended
	owns  bool                   // the server reports the process of a window
	blank xproto.Window          // a window of this connection that is never shown; 0: not created yet
	stirs stirs
}

// longestX is how long an X server may take for one step.
const longestX = 5 * time.Second

// quiet keeps the library from writing to standard error.
var quiet = sync.OnceFunc(func() { xgb.Logger = log.New(io.Discard, "", 0) })

// rootBus is the property of the root window with the address of the accessibility bus.
const rootBus = "AT_SPI_BUS"

var atomNames = []string{"_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST", "_NET_WM_PID", "_NET_WM_NAME", "UTF8_STRING",
	"_NET_ACTIVE_WINDOW",
	"_NET_WM_STATE", "_NET_WM_STATE_HIDDEN", "_NET_SUPPORTING_WM_CHECK", "_GTK_FRAME_EXTENTS", rootBus}

// openDisplay connects to the X server of a place.
func openDisplay(ctx context.Context, at place) (*display, error) {
	quiet()
	d, err := connectX(ctx, at)
	if err != nil {
		return nil, fault.New(fault.ToolMissing, "the display %s does not answer: %w", at.display, err).With("display", at.display).
			WithHint("start the X server of DISPLAY, allow this user there (XAUTHORITY), and start the program again")
	}
	return d, nil
}

func connectX(ctx context.Context, at place) (*display, error) {
	network, where, host, number, err := x11.Address(at.display)
	if err != nil {
		return nil, err
	}
	line, err := (&net.Dialer{Timeout: longestX}).DialContext(ctx, network, where)
	if err != nil {
		return nil, err
	}
	if err := line.SetDeadline(time.Now().Add(longestX)); err != nil {
		line.Close()
		return nil, err
	}
	conn, err := xgb.NewConnNet(&x11.Authorized{Conn: line, Cookie: x11.CookieOf(at.authority, host, number)})
	if err != nil {
		line.Close()
		return nil, err
	}
	d := &display{name: at.display, conn: conn, line: line, atoms: map[string]xproto.Atom{}}
	go func() { // unread events would fill its queue
		for {
			e, err := conn.WaitForEvent()
			if e == nil && err == nil {
				d.gone.Store(true)
				d.stirs.end()
				return
			}
			d.stirs.hear(d, e)
		}
	}()
	if err := d.learn(); err != nil {
		d.close()
		return nil, err
	}
	return d, line.SetDeadline(time.Time{})
}

func (d *display) learn() error {
	d.setup = xproto.Setup(d.conn)
	if len(d.setup.Roots) == 0 {
		return errors.New("it has no screen")
	}
	screen := d.setup.DefaultScreen(d.conn)
	d.root, d.size = screen.Root, [2]int{int(screen.WidthInPixels), int(screen.HeightInPixels)}
	if err := xtest.Init(d.conn); err != nil {
		return fmt.Errorf("it has no XTEST extension: %w", err)
	}
	d.owns = res.Init(d.conn) == nil
	xproto.ChangeWindowAttributes(d.conn, d.root, xproto.CwEventMask, []uint32{xproto.EventMaskSubstructureNotify})
	cookies := make([]xproto.InternAtomCookie, len(atomNames))
	for i, n := range atomNames {
		cookies[i] = xproto.InternAtom(d.conn, false, uint16(len(n)), n)
	}
	for i, c := range cookies {
		reply, err := c.Reply()
		if err != nil {
			return err
		}
		d.atoms[atomNames[i]] = reply.Atom
	}
	return nil
}

// close ends the connection; pending requests fail.
func (d *display) close() {
	d.gone.Store(true)
	d.line.Close()
}

// within limits the time of the server until the returned function is called. A server that hangs, because a stopped program has grabbed
// it, loses the connection.
func (d *display) within(long time.Duration) (end func() bool) {
	return time.AfterFunc(long, d.close).Stop
}

// property reads up to n words of a window's property.
func (d *display) property(w xproto.Window, name string, words uint32) xproto.GetPropertyCookie {
	return xproto.GetProperty(d.conn, false, w, d.atoms[name], xproto.GetPropertyTypeAny, 0, words)
}

// words are the numbers of a property.
func words(c xproto.GetPropertyCookie) (all []uint32) {
	reply, err := c.Reply()
	if err != nil || reply == nil || reply.Format != 32 {
		return nil
	}
	for b := reply.Value; len(b) >= 4; b = b[4:] {
		all = append(all, xgb.Get32(b))
	}
	return all
}

func textOf(c xproto.GetPropertyCookie) string {
	reply, err := c.Reply()
	if err != nil || reply == nil || reply.Format != 8 {
		return ""
	}
	return strings.ToValidUTF8(strings.TrimRight(string(reply.Value), "\x00"), "")
}

// rootText is a text property of the root window.
func (d *display) rootText(name string) string { return textOf(d.property(d.root, name, 1024)) }
