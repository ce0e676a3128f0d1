/// What can travel in a frame.
public protocol Message: Equatable, Sendable {
    init()
    /// Walks the fields in the order of the wire.
    mutating func fields(_ c: inout Cursor)
}

/// A message to the agent.
public protocol Request: Message {
    static var opcode: UInt8 { get }
}

/// A request that sends an input to the device: what an Act may carry.
public protocol Input: Request {}

/// A message from the agent.
public protocol Response: Message {
    static var kind: UInt8 { get }
}

extension Message {
    public mutating func fields(_ c: inout Cursor) {}
}

enum Opcode {
    /// The error of agents before version 1 was settled: read, never written.
    static let bareError: UInt8 = 0x99
    static let response: UInt8 = 0xA0
}

/// Messages as bytes and back.
public enum Codec {
    public static func encode(_ request: some Request) throws -> [UInt8] {
        try write(request, after: [type(of: request).opcode])
    }

    public static func encode(_ response: some Response) throws -> [UInt8] {
        try write(response, after: [Opcode.response, type(of: response).kind])
    }

    /// Reads a request. Bytes after the last field are ignored: that is how newer peers add fields.
    public static func decodeRequest(_ bytes: [UInt8], from offset: Int = 0) throws -> any Request {
        guard offset < bytes.count else { throw DecodeError(kind: .insufficientData, detail: "no opcode") }
        let opcode = bytes[offset]
        if opcode == Opcode.bareError || opcode == Opcode.response {
            throw DecodeError(kind: .invalidPayload, detail: "\(hex(opcode)) is not a request")
        }
        guard let type = requestTypes[opcode] else { throw DecodeError(kind: .invalidOpcode, detail: hex(opcode)) }
        return try read(type, bytes, from: offset + 1)
    }

    public static func decodeResponse(_ bytes: [UInt8], from offset: Int = 0) throws -> any Response {
        guard offset < bytes.count else { throw DecodeError(kind: .insufficientData, detail: "no opcode") }
        switch bytes[offset] {
        case Opcode.bareError: return try read(ErrorText.self, bytes, from: offset + 1)
        case Opcode.response where offset + 1 < bytes.count:
            guard let type = responseTypes[bytes[offset + 1]] else {
                throw DecodeError(kind: .invalidPayload, detail: "response \(hex(bytes[offset + 1]))")
            }
            return try read(type, bytes, from: offset + 2)
        case Opcode.response: throw DecodeError(kind: .insufficientData, detail: "no response type")
        default: throw DecodeError(kind: .invalidOpcode, detail: hex(bytes[offset]))
        }
    }

    private static func write(_ message: some Message, after prefix: [UInt8]) throws -> [UInt8] {
        var copy = message
        var cursor = Cursor(writingAfter: prefix)
        copy.fields(&cursor)
        if let error = cursor.error { throw error }
        return cursor.bytes
    }

    private static func read<M: Message>(_ type: M.Type, _ bytes: [UInt8], from offset: Int) throws -> M {
        var message = M()
        var cursor = Cursor(reading: bytes, from: offset)
        message.fields(&cursor)
        if let error = cursor.error { throw error }
        return message
    }

    private static let requestTypes = Dictionary(uniqueKeysWithValues: allRequests.map { ($0.opcode, $0) })
    private static let responseTypes = Dictionary(uniqueKeysWithValues: allResponses.map { ($0.kind, $0) })

    private static func hex(_ byte: UInt8) -> String { "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
