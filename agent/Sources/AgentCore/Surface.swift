/// What a UI offers an agent. AgentXCUI implements it over XCUITest; tests and the Linux harness over a tree in memory.
///
/// Calls come one at a time, on the thread of the agent's `Worker`. Points are measured from the
/// app's origin, frames from the screen's. What
/// the platform throws comes out as an error; an `AgentFault` keeps its code, anything else is an exception, and neither
/// is retried unless its code says that waiting may help.
public protocol Surface: AnyObject {
    /// Whether the app runs, and where.
    func state(of bundle: String) throws -> AppState
    /// Name and version of the app; empty texts where they are unknown.
    func details(of bundle: String) throws -> AppDetails
    /// The app's tree, or nil when it is not running. Throws `TooDeep` where it is more than the platform reads at once.
    func snapshot(of bundle: String) throws -> Node?
    /// An element with all below it, by the numbers of the children on the way to it, or nil if there is none. Throws
    /// `TooDeep` as `snapshot` does.
    func subtree(at way: [Int], in bundle: String) throws -> Node?
    /// The same element alone, as far as a container needs it, and how many children it has. Nil where a surface cannot read a tree in parts.
    func outline(at way: [Int], in bundle: String) throws -> (node: Node, children: Int)?
    /// Where the app's own frame begins on the screen.
    func origin(of bundle: String) throws -> Point
    /// Whether the screen is SpringBoard's, with the icons of the home screen within a finger's reach.
    func showsHomeScreen() throws -> Bool
    /// Whether SpringBoard shows an alert or a banner. Nothing is looked at for it.
    func hasCover() throws -> Bool
    /// What SpringBoard shows over an app without asking anything, such as a notification.
    func banner() throws -> Node?
    /// The element as it is now, or nil. Throws app-not-running when there is no screen to look at.
    func find(_ query: Query, in bundle: String) throws -> Sighting?
    /// Whether the platform says that a finger reaches an element. It is asked where a tree leaves it in doubt.
    func isHittable(_ place: Place, in bundle: String) throws -> Bool
    /// Whether the app shows an alert. Nothing is looked at for it.
    func hasAlert(in bundle: String) throws -> Bool
    /// The alerts the app shows, and the sheets of choices, top one last.
    func alerts(of bundle: String) throws -> [Node]
    /// The whole screen as a PNG.
    func screenshot() throws -> [UInt8]

    /// Puts one finger down and up. Never taps an element itself: that would wait until nothing moves, for ever if need be.
    func tap(_ point: Point, in bundle: String) throws
    /// Taps twice, so fast that it is one gesture.
    func doubleTap(_ point: Point, in bundle: String) throws
    /// Holds a finger.
    func press(_ point: Point, seconds: Double, in bundle: String) throws
    /// Holds a finger, moves it, and lifts it after another hold.
    func drag(_ way: Carry, in bundle: String) throws
    /// Spreads two fingers on an element, or on the whole app, by a scale above 1, or closes them by one below. The
    /// velocity has the sign of that.
    func pinch(_ place: Place?, scale: Double, velocity: Double, in bundle: String) throws
    /// Moves a slider to a position from 0 to 1.
    func adjust(_ place: Place, slider position: Double, in bundle: String) throws
    /// Turns a wheel to a row. An exception if it does not get there.
    func adjust(_ place: Place, wheel row: String, in bundle: String) throws

    /// What typed text would go to.
    func focus(in bundle: String) throws -> Focus
    /// Types into what `focus` named. An exception in the platform's words if nothing has the keyboard.
    func type(_ text: String, into focus: Focus, in bundle: String) throws
    /// Presses a key of the keyboard so many times.
    func press(_ stroke: Stroke, times: Int, into focus: Focus, in bundle: String) throws

    /// Presses a button of the device's body, shortly. Throws unsupported for one it has not, or XCTest cannot press.
    func press(_ button: DeviceButton) throws
    /// Turns the device.
    func rotate(to orientation: Orientation) throws
}

extension Surface {
    public func subtree(at way: [Int], in bundle: String) throws -> Node? { nil }
    public func outline(at way: [Int], in bundle: String) throws -> (node: Node, children: Int)? { nil }
    public func origin(of bundle: String) throws -> Point { .zero }
    public func isHittable(_ place: Place, in bundle: String) throws -> Bool { false }
    public func hasCover() throws -> Bool { try hasAlert(in: Agent.springboard) }
    public func banner() throws -> Node? { nil }
}

/// A tree has more levels than the platform reads at once.
public struct TooDeep: Error {
    public init() {}
}

/// An element that was found.
public struct Sighting {
    public var frame: Rect
    /// Whether a finger at its centre would reach it, unless the system shows an alert.
    public var hittable: Bool
    /// It is in such an alert.
    var inSystemAlert = false
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
    /// Nobody says what has it, if anything has. What is typed goes to the app, and the platform says if it went nowhere.
    case unknown
    case nothing
}

/// Time, which tests make pass as they like.
public protocol Clock: AnyObject {
    /// Seconds since some moment; never goes back.
    var now: Double { get }
    func sleep(_ seconds: Double)
}
