/// The requests of version 3.

/// Opens version 3 with an agent that has a token. It travels in a frame of version 1. The answer is a Challenge.
public struct Greet: Request {
    public static let opcode: UInt8 = 0x2b
    public var version: UInt16 = 0
    /// Random bytes of the client.
    public var nonce: [UInt8] = []
    public var client = ""
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.u16(&version)
        c.blob(&nonce)
        c.str(&client)
    }
}

/// Ends what Greet began. The answer is a Welcome.
public struct Prove: Request {
    public static let opcode: UInt8 = 0x2c
    public var proof: [UInt8] = []
    public init() {}

    public mutating func fields(_ c: inout Cursor) { c.blob(&proof) }
}

/// Waits in the agent until the screen is still, and asks what is in front.
public struct Look: Request {
    public static let opcode: UInt8 = 0x2d
    public var terms = LookTerms()
    /// The digest of a sight: as long as the still screen has it, the agent looks on.
    public var unlike = ""
    /// Bundle ids of apps that may be in front, one a line. Empty: the host has not listed them.
    public var candidates = ""
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        terms.fields(&c)
        c.str(&unlike)
        c.str(&candidates)
    }
}

/// Sends an input if what it is aimed at is there, and looks at the screen after it.
public struct Act: Request {
    public static let opcode: UInt8 = 0x2e
    /// The bundle id that must be in front; empty is any.
    public var app = ""
    /// What the input is meant for; nil where it is not for an element.
    public var aim: Aim?
    /// A request, encoded: one of the inputs.
    public var input: [UInt8] = []
    /// Of the look after the input. The patience is for a screen that differs from the one before it.
    public var terms = LookTerms()
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.str(&app)
        c.opt(&aim, Aim()) { $1.fields(&$0) }
        c.blob(&input)
        terms.fields(&c)
    }

    /// The input. An Act is none, so that Acts do not contain one another.
    func inner() throws -> any Input {
        guard let input = try Codec.decodeRequest(input) as? any Input else {
            throw AgentFault(.badRequest, "what an act carries must be an input")
        }
        return input
    }
}

/// Ends the agent, once it is answered.
public struct Shutdown: Request {
    public static let opcode: UInt8 = 0x2f
    public init() {}
}

/// How long to look, and how much of the tree to tell.
public struct LookTerms: Equatable, Sendable {
    /// Two looks this far apart must agree.
    public var stableMS: UInt32 = 0
    public var minMS: UInt32 = 0
    public var maxMS: UInt32 = 0
    /// How long a change is waited for.
    public var patienceMS: UInt32 = 0
    /// 0 is as usual, for both.
    public var maxDepth: UInt32 = 0
    public var maxNodes: UInt32 = 0
    public init() {}

    mutating func fields(_ c: inout Cursor) {
        c.u32(&stableMS)
        c.u32(&minMS)
        c.u32(&maxMS)
        c.u32(&patienceMS)
        c.u32(&maxDepth)
        c.u32(&maxNodes)
    }
}

/// The element that an input is meant for, as the client saw it.
public struct Aim: Equatable, Sendable {
    public var type = ""
    public var identifier = ""
    public var label = ""
    public var frame = Rect.zero
    /// Among the elements with the same type, identifier and label, in document order.
    public var rank: UInt32 = 0
    /// The point that the input touches.
    public var at = Point(x: 0, y: 0)
    public init() {}

    mutating func fields(_ c: inout Cursor) {
        c.str(&type)
        c.str(&identifier)
        c.str(&label)
        c.f64(&frame.x)
        c.f64(&frame.y)
        c.f64(&frame.width)
        c.f64(&frame.height)
        c.u32(&rank)
        c.f64(&at.x)
        c.f64(&at.y)
    }
}
