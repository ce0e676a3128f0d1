let allResponses: [any Response.Type] = [
    OK.self, ErrorText.self, TreeResponse.self, ImageResponse.self, Value.self, Found.self, TargetInfo.self,
    Welcome.self, Fault.self, AlertState.self, Pulse.self, Challenge.self,
    Sight.self,
]

/// The request was carried out.
public struct OK: Response {
    public static let kind: UInt8 = 0x00
    public init() {}
}

/// A failure as version 1 tells it.
public struct ErrorText: Response {
    public static let kind: UInt8 = 0x01
    public var message = ""
    public init() {}
    init(_ message: String) { self.message = message }

    public mutating func fields(_ c: inout Cursor) { c.str(&message) }
}

/// A JSON array of elements, and how many nodes the limits left out.
public struct TreeResponse: Response {
    public static let kind: UInt8 = 0x02
    public var json = ""
    public var truncated: UInt32 = 0
    public init() {}
    init(json: String, truncated: UInt32) { (self.json, self.truncated) = (json, truncated) }

    public mutating func fields(_ c: inout Cursor) {
        c.str(&json)
        c.extra(&truncated)
    }
}

/// A PNG.
public struct ImageResponse: Response {
    public static let kind: UInt8 = 0x03
    public var png: [UInt8] = []
    public init() {}
    init(png: [UInt8]) { self.png = png }

    public mutating func fields(_ c: inout Cursor) { c.blob(&png) }
}

/// A text, or nothing.
public struct Value: Response {
    public static let kind: UInt8 = 0x04
    public var text: String?
    public init() {}
    init(_ text: String?) { self.text = text }

    public mutating func fields(_ c: inout Cursor) { c.opt(&text, "") { $0.str(&$1) } }
}

/// One element as JSON, or the literal null.
public struct Found: Response {
    public static let kind: UInt8 = 0x05
    public var json = ""
    public var truncated: UInt32 = 0
    public init() {}
    init(json: String, truncated: UInt32) { (self.json, self.truncated) = (json, truncated) }

    public mutating func fields(_ c: inout Cursor) {
        c.str(&json)
        c.extra(&truncated)
    }
}

/// What the target is, as JSON.
public struct TargetInfo: Response {
    public static let kind: UInt8 = 0x06
    public var json = ""
    public init() {}
    init(json: String) { self.json = json }

    public mutating func fields(_ c: inout Cursor) { c.str(&json) }
}

/// The answer to a good hello. From the next frame on both sides speak the version it names.
public struct Welcome: Response {
    public static let kind: UInt8 = 0x10
    public var version: UInt16 = 0
    public var json = ""
    public init() {}
    init(version: UInt16, json: String) { (self.version, self.json) = (version, json) }

    public mutating func fields(_ c: inout Cursor) {
        c.u16(&version)
        c.str(&json)
    }
}

/// A failure with a code: how version 3 tells what version 1 says in an ErrorText.
public struct Fault: Response {
    public static let kind: UInt8 = 0x11
    public var code: UInt16 = 0
    public var message = ""
    public init() {}
    init(_ fault: AgentFault) { (code, message) = (fault.code.rawValue, fault.message) }

    public mutating func fields(_ c: inout Cursor) {
        c.u16(&code)
        c.str(&message)
    }
}

/// An alert as JSON, as it was before it was answered, or the literal null.
public struct AlertState: Response {
    public static let kind: UInt8 = 0x13
    public var json = ""
    public init() {}
    init(json: String) { self.json = json }

    public mutating func fields(_ c: inout Cursor) { c.str(&json) }
}
