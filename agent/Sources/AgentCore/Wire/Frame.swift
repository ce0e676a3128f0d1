/// What version 3 puts before a message.
public struct Header: Equatable {
    public var id: UInt32 = 0
    public var flags: UInt16 = 0

    public init(id: UInt32 = 0, flags: UInt16 = 0) { (self.id, self.flags) = (id, flags) }

    /// Marks a response that only says "still working on it".
    public static let heartbeat: UInt16 = 1
    /// Marks a response that only says that the input of an Act was sent. The answer follows.
    public static let sent: UInt16 = 2
    static let size = 6
}

/// A stream that cannot be read on: it ended, or its next frame is too large.
public enum StreamError: Error, Equatable {
    case ended
    case brokenOff
    case tooLarge(Int)
}

/// Where bytes come from.
public protocol ByteSource {
    /// At least one and at most `count` bytes; none at the end of the stream.
    func read(upTo count: Int) throws -> [UInt8]
}

/// Frames: a length, in version 3 a header, a message.
public enum Frame {
    /// The longest frame either side accepts, in bytes after the length.
    public static let longest = 64 << 20
    /// The newest version this agent speaks; the other is 1.
    public static let version: UInt16 = 3

    /// The bytes of a frame.
    public static func encode(_ message: [UInt8], version: UInt16, header: Header = Header()) throws -> [UInt8] {
        let count = message.count + (version == 1 ? 0 : Header.size)
        guard count <= longest else { throw StreamError.tooLarge(count) }
        var frame = little(UInt32(count))
        frame.reserveCapacity(count + 4)
        if version > 1 {
            frame += little(header.id) + little(header.flags)
        }
        return frame + message
    }

    /// The next frame that is not empty, without its length. The length is checked before anything is allocated, and
    /// memory grows only as bytes arrive: the length may be a lie. Throws `ended` only between frames.
    public static func read(from source: some ByteSource) throws -> [UInt8] {
        while true {
            let prefix = try readExactly(4, from: source, whenNone: .ended)
            let count = prefix.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
            guard count <= longest else { throw StreamError.tooLarge(count) }
            if count > 0 {
                return try readExactly(count, from: source, whenNone: .brokenOff)
            }
        }
    }

    /// Takes the header from a frame; the message is the rest.
    public static func header(of frame: [UInt8]) throws -> Header {
        guard frame.count >= Header.size else {
            throw DecodeError(kind: .insufficientData, detail: "frame of \(frame.count) bytes has no header")
        }
        let id = (0..<4).reduce(UInt32(0)) { $0 | UInt32(frame[$1]) << (8 * UInt32($1)) }
        return Header(id: id, flags: UInt16(frame[4]) | UInt16(frame[5]) << 8)
    }

    private static func readExactly(_ count: Int, from source: some ByteSource, whenNone: StreamError) throws -> [UInt8]
    {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try source.read(upTo: min(count - bytes.count, 64 << 10))
            guard !more.isEmpty else { throw bytes.isEmpty ? whenNone : .brokenOff }
            bytes += more
        }
        return bytes
    }

    private static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
