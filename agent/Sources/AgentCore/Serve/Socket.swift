import Foundation

#if canImport(Darwin)
    import Darwin
    private let streamType = SOCK_STREAM
    private let noSignal: Int32 = 0  // SO_NOSIGPIPE does it
#else
    import Glibc
    private let streamType = Int32(SOCK_STREAM.rawValue)
    private let noSignal = Int32(MSG_NOSIGNAL)
#endif

/// A system call that went wrong.
public struct SocketError: Error, CustomStringConvertible {
    public let call: String
    public let number: Int32
    init(_ call: String) { (self.call, number) = (call, errno) }
    public var description: String { "\(call): \(String(cString: strerror(number)))" }
}

/// One end of a TCP connection. One thread reads while others write; any may end it.
final class Connection: ByteSource, @unchecked Sendable {
    private let descriptor: Int32
    private let writing = NSLock()

    /// How long a client may refuse to take an answer.
    private static let writeSeconds = 10

    init(descriptor: Int32) {
        self.descriptor = descriptor
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        #if canImport(Darwin)
            set(SOL_SOCKET, SO_NOSIGPIPE, 1)
        #endif
        var limit = timeval(tv_sec: Connection.writeSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    func read(upTo count: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let n = recv(descriptor, &buffer, count, 0)
            if n >= 0 { return Array(buffer[..<n]) }
            if errno != EINTR { throw SocketError("recv") }
        }
    }

    /// Writes all, and nothing of another thread's in between.
    func write(_ bytes: [UInt8]) throws {
        writing.lock()
        defer { writing.unlock() }
        var sent = 0
        while sent < bytes.count {
            let n = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress! + sent, bytes.count - sent, noSignal) }
            if n > 0 {
                sent += n
            } else if errno != EINTR {
                throw SocketError("send")
            }
        }
    }

    /// Ends the connection for both sides. The descriptor itself is closed when nobody uses it any more, so that a new
    /// connection cannot get its number under a reader.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// A TCP port on the loopback interface: an agent does what it is told, so it listens to nobody from outside.
final class Listener: @unchecked Sendable {
    private let descriptor: Int32
    let port: UInt16
    /// A byte in here ends the wait for connections: closing or shutting down the socket does so on one system only.
    private var wake: [Int32] = [-1, -1]

    /// Port 0 takes a free one.
    init(port wanted: UInt16) throws {
        descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw SocketError("socket") }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let fd = descriptor
        let failed: String? = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                if bind(fd, $0, length) != 0 { return "bind" }
                if listen(fd, 8) != 0 { return "listen" }
                return getsockname(fd, $0, &length) == 0 ? nil : "getsockname"
            }
        }
        if let failed {
            let error = SocketError(failed)
            close(descriptor)
            throw error
        }
        port = UInt16(bigEndian: address.sin_port)
        guard pipe(&wake) == 0 else {
            let error = SocketError("pipe")
            close(descriptor)
            throw error
        }
    }

    deinit {
        for end in wake { close(end) }
    }

    /// Calls back with each connection until the listener is stopped, and closes the port then.
    func run(_ accepted: (Connection) -> Void) {
        defer { close(descriptor) }
        while waitForOne() {
            #if canImport(Darwin)
                let fd = Darwin.accept(descriptor, nil, nil)
            #else
                let fd = Glibc.accept(descriptor, nil, nil)
            #endif
            if fd >= 0 {
                accepted(Connection(descriptor: fd))
            } else if [EMFILE, ENFILE].contains(errno) {
                // A process short of descriptors gets them back when a client leaves.
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }

    /// False when the listener was stopped.
    private func waitForOne() -> Bool {
        var watched = [descriptor, wake[0]].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&watched, nfds_t(watched.count), -1) < 0 {
            guard errno == EINTR else { return false }
        }
        return watched[1].revents == 0
    }

    /// Makes run return.
    func stop() {
        var byte: UInt8 = 0
        _ = write(wake[1], &byte, 1)
    }
}
