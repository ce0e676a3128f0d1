// swift-format-ignore-file

// What Socket.swift uses of Darwin, with the types that Swift gives to Apple's headers: for type-checking only. They differ from
// Linux's where noted. The names are C's.

public typealias socklen_t = UInt32
public typealias sa_family_t = UInt8  // UInt16 on Linux
public typealias in_port_t = UInt16
public typealias in_addr_t = UInt32
public typealias nfds_t = UInt32  // UInt on Linux
public typealias ssize_t = Int

public var AF_INET: Int32 { fatalError() }
public var SOCK_STREAM: Int32 { fatalError() }  // an enum on Linux
public var SOL_SOCKET: Int32 { fatalError() }
public var SO_REUSEADDR: Int32 { fatalError() }
public var SO_KEEPALIVE: Int32 { fatalError() }
public var SO_NOSIGPIPE: Int32 { fatalError() }  // not on Linux
public var SO_SNDTIMEO: Int32 { fatalError() }
public var IPPROTO_TCP: Int32 { fatalError() }  // Int on Linux
public var TCP_NODELAY: Int32 { fatalError() }
public var SHUT_RDWR: Int32 { fatalError() }  // Int on Linux
public var POLLIN: Int32 { fatalError() }
public var EINTR: Int32 { fatalError() }
public var EMFILE: Int32 { fatalError() }
public var ENFILE: Int32 { fatalError() }
public var errno: Int32 {
    get { fatalError() }
    set {}
}

public struct in_addr {
    public var s_addr: in_addr_t
    public init() { fatalError() }
    public init(s_addr: in_addr_t) { fatalError() }
}

public struct sockaddr_in {
    public var sin_len: UInt8  // not on Linux
    public var sin_family: sa_family_t
    public var sin_port: in_port_t
    public var sin_addr: in_addr
    public var sin_zero: (CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar)
    public init() { fatalError() }
}

public struct sockaddr {
    public var sa_len: UInt8  // not on Linux
    public var sa_family: sa_family_t
    public init() { fatalError() }
}

public struct timeval {
    public var tv_sec: Int
    public var tv_usec: Int32  // Int on Linux
    public init() { fatalError() }
    public init(tv_sec: Int, tv_usec: Int32) { fatalError() }
}

public struct pollfd {
    public var fd: Int32
    public var events: Int16
    public var revents: Int16
    public init() { fatalError() }
    public init(fd: Int32, events: Int16, revents: Int16) { fatalError() }
}

@discardableResult public func socket(_: Int32, _: Int32, _: Int32) -> Int32 { fatalError() }
@discardableResult public func setsockopt(_: Int32, _: Int32, _: Int32, _: UnsafeRawPointer!, _: socklen_t) -> Int32 {
    fatalError()
}
@discardableResult public func bind(_: Int32, _: UnsafePointer<sockaddr>!, _: socklen_t) -> Int32 { fatalError() }
@discardableResult public func listen(_: Int32, _: Int32) -> Int32 { fatalError() }
@discardableResult public func getsockname(
    _: Int32, _: UnsafeMutablePointer<sockaddr>!, _: UnsafeMutablePointer<socklen_t>!
) -> Int32 { fatalError() }
@discardableResult public func accept(
    _: Int32, _: UnsafeMutablePointer<sockaddr>!, _: UnsafeMutablePointer<socklen_t>!
) -> Int32 { fatalError() }
@discardableResult public func shutdown(_: Int32, _: Int32) -> Int32 { fatalError() }
@discardableResult public func recv(_: Int32, _: UnsafeMutableRawPointer!, _: Int, _: Int32) -> ssize_t { fatalError() }
@discardableResult public func send(_: Int32, _: UnsafeRawPointer!, _: Int, _: Int32) -> ssize_t { fatalError() }
@discardableResult public func close(_: Int32) -> Int32 { fatalError() }
@discardableResult public func write(_: Int32, _: UnsafeRawPointer!, _: Int) -> ssize_t { fatalError() }
@discardableResult public func pipe(_: UnsafeMutablePointer<Int32>!) -> Int32 { fatalError() }
@discardableResult public func poll(_: UnsafeMutablePointer<pollfd>!, _: nfds_t, _: Int32) -> Int32 { fatalError() }
public func strerror(_: Int32) -> UnsafeMutablePointer<CChar>! { fatalError() }
