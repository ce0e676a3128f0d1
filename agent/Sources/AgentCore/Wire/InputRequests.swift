/// The inputs that version 1 does not have. Points are points of the screen, as everywhere.
let inputRequests: [any Request.Type] = [
    DoubleTap.self, Clear.self, SetValue.self, Key.self, Drag.self, Pinch.self, Alert.self, Button.self, Rotate.self,
]

/// Touches a point twice in quick succession.
public struct DoubleTap: Input {
    public static let opcode: UInt8 = 0x22
    public var x: Int32 = 0
    public var y: Int32 = 0
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.i32(&x)
        c.i32(&y)
    }
}

/// Empties the text field that has the focus.
public struct Clear: Input {
    public static let opcode: UInt8 = 0x23
    public init() {}
}

/// Moves the control under a point to a value.
public struct SetValue: Input {
    public static let opcode: UInt8 = 0x24
    public var x: Int32 = 0
    public var y: Int32 = 0
    public var value = ""
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.i32(&x)
        c.i32(&y)
        c.str(&value)
    }
}

/// Presses a key of the keyboard: one that has a name, or a character.
public struct Key: Input {
    public static let opcode: UInt8 = 0x25
    public var name = ""
    public var modifiers: UInt32 = 0
    /// 0 is once.
    public var count: UInt32 = 0
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.str(&name)
        c.u32(&modifiers)
        c.u32(&count)
    }
}

/// Presses a point, waits, and carries what is there to another.
public struct Drag: Input {
    public static let opcode: UInt8 = 0x26
    public var startX: Int32 = 0
    public var startY: Int32 = 0
    public var endX: Int32 = 0
    public var endY: Int32 = 0
    public var pressSeconds = 0.0
    /// Points a second; 0 is the platform's own.
    public var velocity = 0.0
    public var holdSeconds = 0.0
    public init() {}

    var from: Point { Point(x: Double(startX), y: Double(startY)) }
    var to: Point { Point(x: Double(endX), y: Double(endY)) }
    /// How long the finger is on its way.
    var moveSeconds: Double { velocity == 0 ? 0 : from.distance(to: to) / velocity }

    public mutating func fields(_ c: inout Cursor) {
        c.i32(&startX)
        c.i32(&startY)
        c.i32(&endX)
        c.i32(&endY)
        c.f64(&pressSeconds)
        c.f64(&velocity)
        c.f64(&holdSeconds)
    }
}

/// Spreads two fingers around a point, or draws them together.
public struct Pinch: Input {
    public static let opcode: UInt8 = 0x27
    public var x: Int32 = 0
    public var y: Int32 = 0
    public var scale = 0.0
    /// Scale a second; 0 is the platform's own.
    public var velocity = 0.0
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.i32(&x)
        c.i32(&y)
        c.f64(&scale)
        c.f64(&velocity)
    }
}

/// Reads the alert in front, and answers it if asked to.
public struct Alert: Input {
    public static let opcode: UInt8 = 0x28
    public var action: UInt8 = 0
    /// With the action `press`: its label.
    public var button = ""
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.u8(&action)
        c.str(&button)
    }
}

/// Presses a button of the device's body.
public struct Button: Input {
    public static let opcode: UInt8 = 0x29
    public var name = ""
    /// 0 is a short press.
    public var seconds = 0.0
    public init() {}

    public mutating func fields(_ c: inout Cursor) {
        c.str(&name)
        c.f64(&seconds)
    }
}

/// Turns the device.
public struct Rotate: Input {
    public static let opcode: UInt8 = 0x2a
    public var orientation = ""
    public init() {}

    public mutating func fields(_ c: inout Cursor) { c.str(&orientation) }
}
