/// Every request this agent knows. 0x15 is Android's.
let allRequests: [any Request.Type] =
    [
        Heartbeat.self, TapCoord.self, TapElement.self, TapByLabel.self, TapWithType.self, TypeText.self, Swipe.self,
        GetValue.self, LongPress.self, DumpTree.self, Screenshot.self, SetTarget.self, FindElement.self,
        GetTargetInfo.self, DeviceUDID.self, Hello.self,
        Greet.self, Prove.self, Look.self, Act.self, Shutdown.self,
    ] + inputRequests

/// Asks whether the agent answers at all.
public struct Heartbeat: Request {
    public static let opcode: UInt8 = 0x01
    public init() {}
}

/// Taps a point, in points from the origin of the target app.
public struct TapCoord: Input {
    public static let opcode: UInt8 = 0x02
    public var x: Int32 = 0
    public var y: Int32 = 0
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.i32(&x)
        c.i32(&y)
    }
}

/// Taps the element whose identifier is the selector, `base` or `base[N]`.
public struct TapElement: Input {
    public static let opcode: UInt8 = 0x03
    public var selector = ""
    public var timeoutMS: UInt64?
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.str(&selector)
        c.trailing(&timeoutMS, 0) { $0.u64(&$1) }
    }
}

/// TapElement by label.
public struct TapByLabel: Input {
    public static let opcode: UInt8 = 0x04
    public var label = ""
    public var timeoutMS: UInt64?
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.str(&label)
        c.trailing(&timeoutMS, 0) { $0.u64(&$1) }
    }
}

/// TapElement or TapByLabel among the elements of one type.
public struct TapWithType: Input {
    public static let opcode: UInt8 = 0x05
    public var selector = ""
    public var byLabel = false
    public var type = ""
    public var timeoutMS: UInt64?
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.str(&selector)
        c.flag(&byLabel)
        c.str(&type)
        c.trailing(&timeoutMS, 0) { $0.u64(&$1) }
    }
}

/// Types into what has the keyboard focus, at the cursor.
public struct TypeText: Input {
    public static let opcode: UInt8 = 0x06
    public var text = ""
    public init() {}

    public mutating func fields(_ c: inout Cursor) { c.str(&text) }
}

/// Drags a finger; without seconds it takes 0.3 of them.
public struct Swipe: Input {
    public static let opcode: UInt8 = 0x07
    public var startX: Int32 = 0
    public var startY: Int32 = 0
    public var endX: Int32 = 0
    public var endY: Int32 = 0
    public var seconds: Double?
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.i32(&startX)
        c.i32(&startY)
        c.i32(&endX)
        c.i32(&endY)
        c.opt(&seconds, 0) { $0.f64(&$1) }
    }
}

/// Reads an element's value or, when that is empty, its label.
public struct GetValue: Request {
    public static let opcode: UInt8 = 0x08
    public var selector = ""
    public var byLabel = false
    public var type: String?
    public var timeoutMS: UInt64?
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.str(&selector)
        c.flag(&byLabel)
        c.opt(&type, "") { $0.str(&$1) }
        c.trailing(&timeoutMS, 0) { $0.u64(&$1) }
    }
}

/// Holds a finger on a point.
public struct LongPress: Input {
    public static let opcode: UInt8 = 0x09
    public var x: Int32 = 0
    public var y: Int32 = 0
    public var seconds = 0.0
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.i32(&x)
        c.i32(&y)
        c.f64(&seconds)
    }
}

/// Asks for the target's whole tree.
public struct DumpTree: Request {
    public static let opcode: UInt8 = 0x10
    public init() {}
}

/// Asks for the whole main screen.
public struct Screenshot: Request {
    public static let opcode: UInt8 = 0x11
    public init() {}
}

/// Chooses the app that later requests are about. It does not launch it, and never fails.
public struct SetTarget: Request {
    public static let opcode: UInt8 = 0x12
    public var bundle = ""
    public init() {}

    public mutating func fields(_ c: inout Cursor) { c.str(&bundle) }
}

/// Asks for one element as it is now, hittable included.
public struct FindElement: Request {
    public static let opcode: UInt8 = 0x13
    public var selector = ""
    public var byLabel = false
    public var type: String?
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.str(&selector)
        c.flag(&byLabel)
        c.opt(&type, "") { $0.str(&$1) }
    }
}

/// Asks what the target is and whether it runs.
public struct GetTargetInfo: Request {
    public static let opcode: UInt8 = 0x14
    public init() {}
}

/// Asks which simulator the agent runs on.
public struct DeviceUDID: Request {
    public static let opcode: UInt8 = 0x16
    public init() {}
}

/// Opens version 3 with an agent that has no token. It travels in a frame of version 1.
public struct Hello: Request {
    public static let opcode: UInt8 = 0x20
    public var version: UInt16 = 0
    public var token = ""
    public var client = ""
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.u16(&version)
        c.str(&token)
        c.str(&client)
    }
}

/// Longer than this nobody waits; it keeps sums of times finite.
private let aDay = 86_400.0

/// A timeout in seconds.
func seconds(_ milliseconds: UInt64?) -> Double { min(Double(milliseconds ?? 0) / 1000, aDay) }
