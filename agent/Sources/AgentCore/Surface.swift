/// What a UI offers an agent. AgentXCUI implements it over XCUITest; tests and the Linux harness over a tree in memory.
///
/// Calls come one at a time, on the thread of the agent's `Worker`. Points are measured from the target's origin. What
/// the platform throws comes out as an error; an `AgentFault` keeps its code, anything else is an exception, and neither
/// is retried unless its code says that waiting may help.
public protocol Surface: AnyObject {
    /// Whether the app runs, and where.
    func state(of bundle: String) throws -> AppState
    /// Name and version of the app; empty texts where they are unknown.
    func details(of bundle: String) throws -> AppDetails
    /// The app's tree, or nil when it is not running.
    func snapshot(of bundle: String) throws -> Node?
    /// The element as it is now, or nil. Throws app-not-running when there is no screen to look at.
    func find(_ query: Query, in bundle: String) throws -> Sighting?
    /// The alerts the app shows, top one last.
    func alerts(of bundle: String) throws -> [Node]
    /// The whole screen as a PNG.
    func screenshot() throws -> [UInt8]

    /// Puts one finger down and up. Never taps an element itself: that would wait until nothing moves, for ever if need be.
    func tap(_ point: Point, in bundle: String) throws
    /// Holds a finger.
    func press(_ point: Point, seconds: Double, in bundle: String) throws
    /// Holds a finger, moves it at a velocity in points a second, and lifts it after another hold.
    func drag(_ move: Drag, in bundle: String) throws
    /// Spreads two fingers on an element by a scale above 1, or closes them by one below.
    func pinch(_ query: Query?, scale: Double, velocity: Double, in bundle: String) throws
    /// Moves a slider to a position from 0 to 1.
    func adjust(_ query: Query, slider position: Double, in bundle: String) throws
    /// Turns a wheel to a value.
    func adjust(_ query: Query, wheel value: String, in bundle: String) throws

    /// What typed text would go to.
    func focus(in bundle: String) throws -> Focus
    /// Types into what `focus` named.
    func type(_ text: String, into focus: Focus, in bundle: String) throws
    /// Presses a key of the keyboard, or a button of the device.
    func key(_ key: Key, into focus: Focus, in bundle: String) throws
}

/// An element that was found.
public struct Sighting {
    public var frame: Rect
    /// Whether a finger at its centre would reach it.
    public var hittable: Bool
    /// The element with what is below it. Costs a snapshot, so it is taken only by who needs it.
    public var node: () throws -> Node

    public init(frame: Rect, hittable: Bool, node: @escaping () throws -> Node) {
        (self.frame, self.hittable, self.node) = (frame, hittable, node)
    }
}

/// What is known of an app beyond its bundle id.
public struct AppDetails: Equatable, Sendable {
    public var displayName: String
    public var version: String
    public var build: String

    public init(displayName: String = "", version: String = "", build: String = "") {
        (self.displayName, self.version, self.build) = (displayName, version, build)
    }
}

/// What has the keyboard.
public enum Focus: Equatable, Sendable {
    /// An element; with its value and placeholder.
    case element(Node)
    /// A keyboard is up, but nobody says that it is theirs.
    case keyboard
    case nothing
}

/// A finger's way.
public struct Drag: Equatable, Sendable {
    public var from: Point
    public var to: Point
    public var pressSeconds: Double
    public var velocity: Double
    public var holdSeconds: Double

    public init(from: Point, to: Point, pressSeconds: Double, velocity: Double, holdSeconds: Double) {
        (self.from, self.to) = (from, to)
        (self.pressSeconds, self.velocity, self.holdSeconds) = (pressSeconds, velocity, holdSeconds)
    }
}

/// A key that is not a character, or a button of the device.
public enum Key: String, CaseIterable, Sendable {
    case enter = "return"
    case delete, tab, space, escape
    case home
}

/// Time, which tests make pass as they like.
public protocol Clock: AnyObject {
    /// Seconds since some moment; never goes back.
    var now: Double { get }
    func sleep(_ seconds: Double)
}
