/// What hands do with a surface, in its words.

/// A finger that rests, moves elsewhere, and rests again.
public struct Carry: Equatable, Sendable {
    public var from: Point
    public var to: Point
    public var pressSeconds: Double
    /// Points a second; 0 is the platform's own.
    public var velocity: Double
    public var holdSeconds: Double

    public init(from: Point, to: Point, pressSeconds: Double, velocity: Double, holdSeconds: Double) {
        (self.from, self.to) = (from, to)
        (self.pressSeconds, self.velocity, self.holdSeconds) = (pressSeconds, velocity, holdSeconds)
    }
}

/// A key that has a name. The raw value is the word on the wire.
public enum KeyName: String, CaseIterable, Sendable {
    case enter = "return"
    case delete
    case forwardDelete = "forward-delete"
    case tab, space, escape, up, down, left, right, home, end
    case pageUp = "page-up"
    case pageDown = "page-down"
}

/// The keys held down while another is pressed. The raw value is that of the wire.
public struct Modifiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let shift = Modifiers(rawValue: 1)
    public static let control = Modifiers(rawValue: 2)
    public static let option = Modifiers(rawValue: 4)
    public static let command = Modifiers(rawValue: 8)
}

/// One press of a key.
public struct Stroke: Equatable, Sendable {
    public enum Cap: Equatable, Sendable {
        case named(KeyName)
        /// What a single code point types.
        case character(String)
    }
    public var cap: Cap
    public var modifiers: Modifiers

    public init(_ cap: Cap, _ modifiers: Modifiers = []) { (self.cap, self.modifiers) = (cap, modifiers) }

    /// Whether it is typed as text. Others are keys of a hardware keyboard.
    public var isText: Bool {
        guard modifiers.isEmpty else { return false }
        guard case .named(let name) = cap else { return true }
        return [.enter, .delete, .tab, .space].contains(name)
    }

    public static let delete = Stroke(.named(.delete))
    public static let selectAll = Stroke(.character("a"), .command)
}

/// A button of a device's body. The raw value is the word on the wire.
public enum DeviceButton: String, CaseIterable, Sendable {
    case home, lock
    case volumeUp = "volume-up"
    case volumeDown = "volume-down"
    case action, camera, siri
}

/// How a device is held. The raw value is the word on the wire.
public enum Orientation: String, CaseIterable, Sendable {
    case portrait
    case portraitUpsideDown = "portrait-upside-down"
    case landscapeLeft = "landscape-left"
    case landscapeRight = "landscape-right"
}
