/// A place, in points of the screen.
public struct Point: Equatable, Sendable {
    public var x: Double
    public var y: Double
    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

    public static let zero = Point(x: 0, y: 0)

    static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }

    func distance(to other: Point) -> Double {
        let (dx, dy) = (other.x - x, other.y - y)
        return (dx * dx + dy * dy).squareRoot()
    }
}

/// Where an element is, in points of the screen.
public struct Rect: Equatable, Sendable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public init(x: Double = 0, y: Double = 0, width: Double = 0, height: Double = 0) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    public static let zero = Rect()
    public var origin: Point { Point(x: x, y: y) }
    public var centre: Point { Point(x: x + width / 2, y: y + height / 2) }
    public var hasArea: Bool { width > 0 && height > 0 }

    public func contains(_ p: Point) -> Bool { p.x >= x && p.x < x + width && p.y >= y && p.y < y + height }
}

/// One element of a snapshot, with what is below it.
public struct Node: Equatable, Sendable {
    public var type: String
    public var identifier: String
    public var label: String
    public var value: String
    public var placeholder: String
    public var frame: Rect
    public var enabled = true
    public var selected = false
    public var focused = false
    public var children: [Node]
    /// How many children could not be read.
    var unread = 0

    public init(
        _ type: String, identifier: String = "", label: String = "", value: String = "", placeholder: String = "",
        frame: Rect = .zero, children: [Node] = []
    ) {
        (self.type, self.identifier, self.label, self.value) = (type, identifier, label, value)
        (self.placeholder, self.frame, self.children) = (placeholder, frame, children)
    }

    /// Whether accessibility has anything to call it by.
    var isNamed: Bool { !identifier.isEmpty || !label.isEmpty || !value.isEmpty }

    /// A container that nothing calls by a name, around one child.
    var isWrapper: Bool { children.count == 1 && !isNamed && ["Other", "Group", "Window"].contains(type) }

    /// How many nodes the tree has, however deep it is.
    var count: Int {
        var (todo, n) = ([self], 0)
        while let last = todo.popLast() {
            n += 1
            todo += last.children
        }
        return n
    }
}

/// Whether an app runs, and where. The raw value is the word on the wire.
public enum AppState: String, Sendable {
    case unknown
    case notRunning = "not_running"
    case suspended
    case runningBackground = "running_background"
    case runningForeground = "running_foreground"
}
