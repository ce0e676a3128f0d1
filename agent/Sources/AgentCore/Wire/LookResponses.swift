/// The responses of version 3.

/// The body of a heartbeat: how long the main queue has not answered, and in which request.
public struct Pulse: Response {
    public static let kind: UInt8 = 0x14
    public var stuckMS: UInt32 = 0
    public var opcode: UInt8 = 0
    public init() {}
    init(stuckMS: UInt32, opcode: UInt8) { (self.stuckMS, self.opcode) = (stuckMS, opcode) }

    public mutating func fields(_ c: inout Cursor) {
        c.u32(&stuckMS)
        c.u8(&opcode)
    }
}

/// The answer to a Greet: the agent has the token, and wants a proof that the client has it too.
public struct Challenge: Response {
    public static let kind: UInt8 = 0x15
    public var version: UInt16 = 0
    /// Random bytes of the agent.
    public var nonce: [UInt8] = []
    public var proof: [UInt8] = []
    public init() {}
    init(version: UInt16, nonce: [UInt8], proof: [UInt8]) {
        (self.version, self.nonce, self.proof) = (version, nonce, proof)
    }

    public mutating func fields(_ c: inout Cursor) {
        c.u16(&version)
        c.blob(&nonce)
        c.blob(&proof)
    }
}

/// What a Look or an Act saw.
public struct Sight: Response {
    public static let kind: UInt8 = 0x16
    public var settled = false
    public var waitedMS: UInt32 = 0
    /// How often a tree was read for it.
    public var samples: UInt32 = 0
    public var truncated: UInt32 = 0
    /// The app in front; empty where it is not known.
    public var front = ""
    public var state = ""
    /// The process that shows something over it; empty if none does.
    public var cover = ""
    public var digest = ""
    public var json = ""
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.flag(&settled)
        c.u32(&waitedMS)
        c.u32(&samples)
        c.u32(&truncated)
        c.str(&front)
        c.str(&state)
        c.str(&cover)
        c.str(&digest)
        c.str(&json)
    }

    /// How two looks are compared: the FNV-1a hash of 64 bits, in hexadecimal, of the texts with a zero byte after each.
    static func digest(front: String, cover: String, json: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for text in [front, cover, json] {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            hash = hash &* 0x100_0000_01b3  // the zero byte
        }
        let hex = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - hex.count) + hex
    }
}
