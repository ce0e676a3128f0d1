// Signatures of SwiftUI that the app of the agent and the twin of verify-mac use, as Apple's documentation has them. Nothing runs.
@_exported import AppKit
import UniformTypeIdentifiers

@MainActor
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

public protocol Primitive: View where Body == Never {}
extension Primitive {
    public var body: Never { fatalError() }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > { fatalError() }
}

public struct TupleView<T>: Primitive {}

@MainActor
public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}

extension Never: Scene {}

@resultBuilder
public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

@MainActor
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}
extension App {
    public static func main() {}
}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
    public init(_ title: String, @ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

@propertyWrapper
public struct State<Value> {
    public init(wrappedValue value: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError() }
}

public struct Binding<Value> {}

@MainActor
@propertyWrapper
public struct NSApplicationDelegateAdaptor<DelegateType: NSObject & NSApplicationDelegate> {
    public init(_ delegateType: DelegateType.Type) {}
    public var wrappedValue: DelegateType { fatalError() }
}

public enum HorizontalAlignment { case leading, center, trailing }

public struct Color {
    public static var blue: Color { fatalError() }
    public static var green: Color { fatalError() }
    public func opacity(_ opacity: Double) -> Color { self }
}
extension Color: Primitive {}

public struct VStack<Content: View>: Primitive {
    public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content)
    {}
}
public struct HStack<Content: View>: Primitive {
    public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}
public struct List<Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content) {}
}
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: Primitive {
    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content)
    {}
}
public struct Spacer: Primitive {
    public init() {}
}
public struct Text: Primitive {
    public init(_ content: String) {}
}
public struct Button: Primitive {
    public init(_ title: String, action: @escaping @MainActor () -> Void) {}
}
public struct Toggle: Primitive {
    public init(_ title: String, isOn: Binding<Bool>) {}
}
public struct Slider: Primitive {
    public init<V: BinaryFloatingPoint>(value: Binding<V>, in bounds: ClosedRange<V>) {}
}
public struct TextField: Primitive {
    public init(_ title: String, text: Binding<String>) {}
}

public struct Modified: Primitive {}
extension View {
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil) -> some View { Modified() }
    public func padding() -> some View { Modified() }
    public func disabled(_ disabled: Bool) -> some View { Modified() }
    public func background<Background: View>(_ background: Background) -> some View { Modified() }
    public func accessibilityLabel(_ label: String) -> some View { Modified() }
    public func accessibilityIdentifier(_ identifier: String) -> some View { Modified() }
    public func onChange<V: Equatable>(of value: V, perform action: @escaping (_ newValue: V) -> Void) -> some View {
        Modified()
    }
    public func onDrag(_ data: @escaping () -> NSItemProvider) -> some View { Modified() }
    public func onDrop(
        of supportedContentTypes: [UTType], isTargeted: Binding<Bool>?,
        perform action: @escaping (_ providers: [NSItemProvider]) -> Bool
    ) -> some View { Modified() }
}
