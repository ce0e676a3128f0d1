// Package usbmuxd is the virtual usbmuxd: the program on a Mac or a Linux machine through which others reach iPhones and iPads, and
// what answers on such a device: lockdownd, services that it starts, and ports on which apps listen. It is written from what is
// publicly known of the protocols. Its clients are real ones: go-ios talks to it in our tests.
//
// It must not know who its clients are. What a device is and does is in world.
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

// Options say which devices there are.
type Options struct {
	World *world.World
	// Open connects to a port of a device on which a program listens that is no part of its system. Nil: nobody listens.
	Open func(ctx context.Context, udid string, port int) (net.Conn, error)
	// Foreign says that programs of others connect too, which take only keys of the kind that real devices have.
	Foreign bool
}

// Server answers clients, each on a connection of its own. The zero value of what is not in Options works.
type Server struct {
	Options

	mu       sync.Mutex
	records  map[string][]byte             // pair records by the udid of the device, as clients read and saved them
	trusted  map[string]map[string]pairing // who may begin a session, by udid and host id
	asking   map[string]bool               // devices that show the question whether they trust this computer
	paired   map[string]bool               // devices that were paired by a client: a fault does not undo that
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

// Listen serves the clients that l accepts until ctx ends. It closes l, and returns when every connection is closed.
func (s *Server) Listen(ctx context.Context, l net.Listener) {
	var clients sync.WaitGroup
	defer clients.Wait()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		clients.Go(func() { s.Serve(ctx, conn) })
	}
}

// The results of usbmuxd.
const (
	resultOK       = 0
	resultCommand  = 1
	resultDevice   = 2
	resultRefused  = 3
	errNotExisting = 2 // ENOENT, for a pair record that is not there
)

// answer answers a request. What it returns carries on with the connection, which belongs to a device then.
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

// connect finds who listens on a port of a device. The number of the port has its bytes in the order of the network.
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
	if s.Open == nil || s.happens(p.UDID, flaw.ForwardedPortGone) {
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

// attached is a device as usbmuxd tells it.
type attached struct {
	world.Physical
	id int // as long as it is attached
}

// attached are the devices that are there: by cable, or over the network.
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
	} else { // libusbmuxd leaves out a device over the network of which it is not told where that is
		about["ConnectionType"], about["InterfaceIndex"], about["NetworkAddress"] = "Network", 0, socketAddress(a.id)
		about["EscapedFullServiceName"] = wifiAddress(a.Physical) + "@fe80::1._apple-mobdev2._tcp.local."
	}
	return map[string]any{"MessageType": "Attached", "DeviceID": a.id, "Properties": about}
}

// socketAddress is where a device is on the network, as macOS has it in memory: length, family, port, an address of IPv4.
func socketAddress(id int) []byte {
	at := make([]byte, 128)
	copy(at, []byte{16, 2, 0xf2, 0x7e, 192, 0, 2, byte(id)})
	return at
}

// announce tells a client which devices are there, and then which come and go.
func (s *Server) announce(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, conn) // until the client is gone
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

// record is the pair record of a device. The first one is made when it is asked for.
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
	s.records = set(s.records, udid, record)
	return record, nil
}

func missing(record []byte) error {
	if record == nil {
		return errUnpaired
	}
	return nil
}

// save keeps the record of a client; nil forgets it.
func (s *Server) save(udid string, record []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = set(s.records, udid, record)
}

// trust lets a host begin sessions with a device. The caller holds the lock.
func (s *Server) trust(udid string, who pairing) {
	s.trusted = set(s.trusted, udid, set(s.trusted[udid], who.hostID, who))
}

// set is a map with a value more; it may be nil before.
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
