// Package usbmuxd is the virtual usbmuxd, the program on a Mac or a Linux machine that leads to iPhones and iPads. It also has the services
// of such a device: lockdownd, the services that it starts, and ports of apps. A Server serves clients on a socket. It follows public
// knowledge of the protocols, and real clients such as go-ios use it in our tests. It must not know its clients; the devices and their
// state are in world.
package usbmuxd

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// Options configure the devices.
type Options struct {
	World *world.World
	// Open connects to a port of a device on which a program outside the device's system listens. It returns nil if the port is closed.
	Open func(ctx context.Context, udid string, port int) (net.Conn, error)
}

// Server answers clients, each on its own connection. Fields other than Options work with their zero values.
type Server struct {
	Options

	mu       sync.Mutex
	foreign  bool                          // another program has connected: it accepts only RSA keys, as real devices have
	records  map[string][]byte             // pair records by the device's UDID, as clients read and saved them
	quick    map[string]bool               // the records with fast keys, by UDID
	trusted  map[string]map[string]pairing // hosts that may start a session, by UDID and host id
	asking   map[string]bool               // devices that show the dialog about trusting this computer
	paired   map[string]bool               // devices that a client paired: a fault does not undo that
	services map[service]opened            // ports that wait for a connection
	last     uint16                        // the port that was opened last
}

// service is a port of a device.
type service struct {
	udid string
	port uint16
}

// Serve answers one client until it leaves or ctx ends. It closes conn.
func (s *Server) Serve(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	for {
		m, err := readMux(conn)
		if err != nil {
			return
		}
		if further := s.answer(ctx, conn, m); further != nil {
			further(conn)
			return
		}
	}
}

// Listen serves other programs, the clients of l, until ctx ends. It closes l, and returns after every connection is closed.
func (s *Server) Listen(ctx context.Context, l net.Listener) {
	var clients sync.WaitGroup
	defer clients.Wait()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		s.meet()
		clients.Go(func() { s.Serve(ctx, conn) })
	}
}

// meet prepares for another program: the pair records with fast keys, which it cannot read, are made again when a client asks for them.
// The hosts of the old records stay trusted.
func (s *Server) meet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.foreign {
		return
	}
	s.foreign = true
	for udid, quick := range s.quick {
		if quick {
			delete(s.records, udid)
		}
	}
}

// Result codes of usbmuxd.
const (
	resultOK       = 0
	resultCommand  = 1
	resultDevice   = 2
	resultRefused  = 3
	errNotExisting = 2 // ENOENT, for a missing pair record
)

// answer answers a request. The function that it returns, if any, takes over the connection, which then belongs to a device.
func (s *Server) answer(ctx context.Context, conn net.Conn, m muxMessage) (further func(net.Conn)) {
	result := func(number int) { m.reply(conn, map[string]any{"MessageType": "Result", "Number": number}) }
	switch m.text("MessageType") {
	case "ListDevices":
		list := []any{}
		for _, a := range s.attached() {
			list = append(list, a.event())
		}
		m.reply(conn, map[string]any{"DeviceList": list})
	case "Listen":
		result(resultOK)
		return func(conn net.Conn) { s.announce(ctx, conn) }
	case "ReadBUID":
		m.reply(conn, map[string]any{"BUID": systemBUID})
	case "ReadPairRecord":
		record, err := s.record(m.text("PairRecordID"))
		if err != nil {
			result(errNotExisting)
			return nil
		}
		m.reply(conn, map[string]any{"PairRecordData": record})
	case "SavePairRecord":
		data, _ := m.body["PairRecordData"].([]byte)
		s.save(m.text("PairRecordID"), data)
		result(resultOK)
	case "DeletePairRecord":
		s.save(m.text("PairRecordID"), nil)
		result(resultOK)
	case "Connect":
		serve, number := s.connect(ctx, m)
		result(number)
		return serve
	default:
		result(resultCommand)
	}
	return nil
}

// connect finds the listener of a port of a device. The port number is in network byte order.
func (s *Server) connect(ctx context.Context, m muxMessage) (serve func(net.Conn), result int) {
	all := s.attached()
	i := slices.IndexFunc(all, func(a attached) bool { return a.id == m.number("DeviceID") })
	if i < 0 {
		return nil, resultDevice
	}
	p, swapped := all[i].Physical, uint16(m.number("PortNumber"))
	port := swapped<<8 | swapped>>8
	if port == lockdownPort {
		return func(conn net.Conn) { s.lockdown(ctx, conn, p) }, resultOK
	}
	if o, yes := s.take(service{p.UDID, port}); yes {
		return s.serviceOf(ctx, o, p), resultOK
	}
	if s.Open == nil || s.happens(p.UDID, flaw.ForwardedPortGone) || !p.Wired && s.happens(p.UDID, flaw.NetworkLoopback) {
		return nil, resultRefused
	}
	there, err := s.Open(ctx, p.UDID, int(port))
	if err != nil {
		return nil, resultRefused
	}
	return func(conn net.Conn) { carry(conn, there) }, resultOK
}

// carry copies bytes both ways until either side is done.
func carry(a, b net.Conn) {
	var both sync.WaitGroup
	for _, pair := range [][2]net.Conn{{a, b}, {b, a}} {
		both.Go(func() {
			_, _ = io.Copy(pair[1], pair[0])
			pair[0].Close()
			pair[1].Close()
		})
	}
	both.Wait()
}

// attached is a device in usbmuxd's format.
type attached struct {
	world.Physical
	id int // constant while it is attached
}

// attached lists the devices that are attached by cable or network.
func (s *Server) attached() (all []attached) {
	for i, p := range s.World.Physicals() {
		if !s.happens(p.UDID, flaw.DeviceUnplugged) {
			all = append(all, attached{p, i + 1})
		}
	}
	return all
}

func (a attached) event() map[string]any {
	about := map[string]any{"DeviceID": a.id, "SerialNumber": a.UDID}
	if a.Wired {
		about["ConnectionType"], about["ConnectionSpeed"], about["LocationID"], about["ProductID"] = "USB", 480_000_000, 1<<20, 0x12a8
	} else { // libusbmuxd skips a network device without an address
		about["ConnectionType"], about["InterfaceIndex"], about["NetworkAddress"] = "Network", 0, socketAddress(a.id)
		about["EscapedFullServiceName"] = wifiAddress(a.Physical) + "@fe80::1._apple-mobdev2._tcp.local."
	}
	return map[string]any{"MessageType": "Attached", "DeviceID": a.id, "Properties": about}
}

// socketAddress is the network address of a device as macOS stores it: length, family, port, IPv4 address.
func socketAddress(id int) []byte {
	at := make([]byte, 128)
	copy(at, []byte{16, 2, 0xf2, 0x7e, 192, 0, 2, byte(id)})
	return at
}

// announce sends a client the attached devices, and then each change.
func (s *Server) announce(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, conn) // until the client disconnects
		cancel()
	}()
	known := []attached{}
	for {
		changed := s.World.Changed()
		now := s.attached()
		for _, a := range now {
			if !slices.ContainsFunc(known, func(k attached) bool { return k.id == a.id }) && write(conn, a.event()) != nil {
				return
			}
		}
		for _, k := range known {
			gone := map[string]any{"MessageType": "Detached", "DeviceID": k.id}
			if !slices.ContainsFunc(now, func(a attached) bool { return a.id == k.id }) && write(conn, gone) != nil {
				return
			}
		}
		known = now
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// happens reports whether a fault happens to a device now.
func (s *Server) happens(udid, fault string) bool {
	_, yes := s.World.TakeFault(udid, fault)
	return yes
}

var errUnpaired = errors.New("the device does not trust this computer")

// isPaired reports whether a device trusts this computer.
func (s *Server) isPaired(udid string) bool {
	s.mu.Lock()
	by := s.paired[udid]
	s.mu.Unlock()
	return by || !s.happens(udid, flaw.DeviceUnpaired)
}

// record is the pair record of a device, made on first use.
func (s *Server) record(udid string) ([]byte, error) {
	all := s.attached()
	i := slices.IndexFunc(all, func(a attached) bool { return strings.EqualFold(a.UDID, udid) })
	if i < 0 || !s.isPaired(all[i].UDID) {
		return nil, errUnpaired
	}
	udid = all[i].UDID
	s.mu.Lock()
	defer s.mu.Unlock()
	if record, known := s.records[udid]; known {
		return record, missing(record)
	}
	record, who, err := s.keys().newRecord(wifiAddress(all[i].Physical))
	if err != nil {
		return nil, err
	}
	s.trust(udid, who)
	s.records, s.quick = set(s.records, udid, record), set(s.quick, udid, !s.foreign)
	return record, nil
}

func missing(record []byte) error {
	if record == nil {
		return errUnpaired
	}
	return nil
}

// save stores the record of a client; nil deletes it.
func (s *Server) save(udid string, record []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = set(s.records, udid, record)
	delete(s.quick, udid)
}

// trust allows a host to start sessions with a device. The caller holds the lock.
func (s *Server) trust(udid string, who pairing) {
	s.trusted = set(s.trusted, udid, set(s.trusted[udid], who.hostID, who))
}

// set returns a map with an additional value; the map may be nil.
func set[K comparable, V any](m map[K]V, key K, value V) map[K]V {
	if m == nil {
		m = map[K]V{}
	}
	m[key] = value
	return m
}

// open opens a port for one connection of a host to a service.
func (s *Server) open(udid string, o opened) uint16 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = cmp.Or(s.last, 49151) + 1
	s.services = set(s.services, service{udid, s.last}, o)
	return s.last
}

func (s *Server) take(at service) (opened, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, yes := s.services[at]
	delete(s.services, at)
	return o, yes
}
