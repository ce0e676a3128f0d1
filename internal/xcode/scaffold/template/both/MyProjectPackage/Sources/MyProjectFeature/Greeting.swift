/// What the first screen says. It knows nothing of views, so that it can be tested without one.
public struct Greeting: Equatable, Sendable {
    public private(set) var count = 1

    public init() {}

    public var text: String {
        count == 1 ? "Hello from MyProject" : "Hello again (\(count))"
    }

    public mutating func again() {
        count += 1
    }
}
