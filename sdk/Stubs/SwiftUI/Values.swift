public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]

    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { values[ObjectIdentifier(key)] as? K.Value ?? key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

@propertyWrapper
public struct Environment<Value> {
    private let keyPath: KeyPath<EnvironmentValues, Value>
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }
    public var wrappedValue: Value {
        MainActor.assumeIsolated { Unchecked(Visitor.environment[keyPath: keyPath]) }.value
    }
}

private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

@propertyWrapper
public struct State<Value> {
    private final class Box {
        var value: Value
        init(_ value: Value) { self.value = value }
    }
    private let box: Box
    public init(wrappedValue value: Value) { box = Box(value) }
    public var wrappedValue: Value {
        get { box.value }
        nonmutating set { box.value = newValue }
    }
    public var projectedValue: Binding<Value> { Binding() }
}
extension State: @unchecked Sendable where Value: Sendable {}

public struct Binding<Value> {}

public struct Animation: Equatable, Sendable {
    public static var `default`: Animation { Animation() }
}

public struct Transaction {
    public var animation: Animation?
    public var disablesAnimations = false
}

@MainActor public func withAnimation<Result>(
    _ animation: Animation? = .default, _ body: () throws -> Result
) rethrows -> Result { try body() }

public struct Alignment: Sendable {
    public static let topLeading = Alignment()
    public static let center = Alignment()
}
public struct HorizontalAlignment: Sendable {
    public static let leading = HorizontalAlignment()
    public static let center = HorizontalAlignment()
}
public struct AccessibilityChildBehavior: Hashable, Sendable {
    public static let contain = AccessibilityChildBehavior()
}

public struct Font: Hashable, Sendable {
    public enum Design: Hashable, Sendable { case `default`, monospaced }
    public enum Weight: Hashable, Sendable { case regular }
    public static let headline = Font()
    public static func system(size: CGFloat, weight: Weight? = nil, design: Design? = nil) -> Font { Font() }
}

public struct Color: Sendable {
    public static let pink = Color()
    public static let red = Color()
    public static let white = Color()
}
extension Color: View, Primitive {}

@MainActor @preconcurrency
public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}
extension Never: Scene {}

@resultBuilder
public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}
extension App {
    public static func main() {}
}

public struct WindowGroup<Content: View> {
    public init(@ViewBuilder content: () -> Content) {}
}
extension WindowGroup: Scene {
    public var body: Never { fatalError() }
}
