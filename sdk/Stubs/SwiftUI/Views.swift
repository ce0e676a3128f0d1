/// A view with others inside.
@MainActor
public protocol Holding: Primitive {
    associatedtype Inside: View
    var inside: Inside { get }
}
extension Holding {
    public func visit(_ visitor: Visitor) { visitor.visit(inside) }
}

public struct VStack<Content: View> {
    public let inside: Content
    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) { inside = content() }
}
extension VStack: View, Holding {}

public struct HStack<Content: View> {
    public let inside: Content
    public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { inside = content() }
}
extension HStack: View, Holding {}

public struct ZStack<Content: View> {
    public let inside: Content
    public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) { inside = content() }
}
extension ZStack: View, Holding {}

public struct ScrollView<Content: View> {
    public let inside: Content
    public init(@ViewBuilder content: () -> Content) { inside = content() }
}
extension ScrollView: View, Holding {}

public struct List<SelectionValue, Content: View> {
    public let inside: Content
}
extension List where SelectionValue == Never {
    public init(@ViewBuilder content: () -> Content) { inside = content() }
}
extension List: View, Holding {}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View> {
    let views: [Content]
}
extension ForEach where ID == Data.Element.ID, Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) { views = data.map(content) }
}
extension ForEach: View, Primitive {
    public func visit(_ visitor: Visitor) { for view in views { visitor.visit(view) } }
}

public struct Spacer {
    public init(minLength: CGFloat? = nil) {}
}
extension Spacer: View, Primitive {}

public struct Rectangle {
    public init() {}
    public func strokeBorder(_ content: Color, lineWidth: CGFloat = 1) -> some View { content }
}
extension Rectangle: View, Primitive {}

public struct Text {
    public init<S: StringProtocol>(_ content: S) {}
    public init(verbatim content: String) {}
}
extension Text: View, Primitive {}

public struct Button<Label: View> {
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
}
extension Button where Label == Text {
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
    public init<S: StringProtocol>(_ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
}
extension Button: View, Primitive {}

public struct ButtonRole: Equatable, Sendable {
    public static let destructive = ButtonRole()
    public static let cancel = ButtonRole()
}

/// A view of UIKit. Its identifiers are not those of SwiftUI.
@MainActor @preconcurrency
public protocol UIViewRepresentable: Primitive {
    associatedtype UIViewType: UIView
    func makeUIView(context: Context) -> UIViewType
    func updateUIView(_ uiView: UIViewType, context: Context)
    typealias Context = UIViewRepresentableContext<Self>
}
public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {}

public struct TextField<Label: View> {}
extension TextField where Label == Text {
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
}
extension TextField: View, Primitive {}

public struct SecureField<Label: View> {}
extension SecureField where Label == Text {
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
}
extension SecureField: View, Primitive {}
