// Signatures of SwiftUI that the SDK and its example use, as Apple's documentation and the interface of Xcode 16 have them. They run
// as far as identifiers need it: `identifiers(in:)` asks every view for its body, and has what SwiftUI would hand to accessibility.
@_exported import UIKit

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

/// A view that SwiftUI draws itself.
@MainActor
public protocol Primitive: View where Body == Never {
    func visit(_ visitor: Visitor)
}
extension Primitive {
    public var body: Never { fatalError() }
    public func visit(_ visitor: Visitor) {}
}

/// Walks through views.
@MainActor
public final class Visitor {
    static var environment = EnvironmentValues()
    fileprivate(set) var found: [String] = []

    public func visit(_ view: some View) {
        if let primitive = view as? any Primitive { primitive.visit(self) } else { visit(view.body) }
    }

    func visit(_ view: some View, with change: (inout EnvironmentValues) -> Void) {
        let before = Visitor.environment
        change(&Visitor.environment)
        visit(view)
        Visitor.environment = before
    }

    func find(_ identifier: String) { found.append(identifier) }
}

/// The identifiers in a view, outer ones first.
@MainActor
public func identifiers(in view: some View) -> [String] {
    let visitor = Visitor()
    visitor.visit(view)
    return visitor.found
}

/// A view whose modifier changes nothing here.
public struct Modified<Content: View> {
    let content: Content
}
extension Modified: View, Primitive {
    public func visit(_ visitor: Visitor) { visitor.visit(content) }
}

/// One whose modifier does something.
public struct Doing<Content: View> {
    let content: Content
    let act: @MainActor (Visitor, Content) -> Void
}
extension Doing: View, Primitive {
    public func visit(_ visitor: Visitor) { act(visitor, content) }
}

public struct AnyView {
    let view: any View
    public init<V: View>(_ view: V) { self.view = view }
}
extension AnyView: View, Primitive {
    public func visit(_ visitor: Visitor) { visitor.visit(view) }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}
extension Optional: Primitive where Wrapped: View {
    public func visit(_ visitor: Visitor) { if let self { visitor.visit(self) } }
}

public enum _ConditionalContent<First: View, Second: View> {
    case first(First)
    case second(Second)
}
extension _ConditionalContent: View, Primitive {
    public func visit(_ visitor: Visitor) {
        switch self {
        case .first(let view): visitor.visit(view)
        case .second(let view): visitor.visit(view)
        }
    }
}

public struct TupleView<T> {
    let views: [any View]
}
extension TupleView: View, Primitive {
    public func visit(_ visitor: Visitor) { for view in views { visitor.visit(view) } }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> {
        var views: [any View] = []
        repeat views.append(each content)
        return TupleView(views: views)
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> _ConditionalContent<First, Second> { .first(first) }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> _ConditionalContent<First, Second> { .second(second) }
}

@MainActor @preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    @ViewBuilder func body(content: Content) -> Body
    typealias Content = _ViewModifier_Content<Self>
}

public struct _ViewModifier_Content<Modifier: ViewModifier> {
    let view: any View
}
extension _ViewModifier_Content: View, Primitive {
    public func visit(_ visitor: Visitor) { visitor.visit(view) }
}

public struct ModifiedContent<Content, Modifier> {
    let content: Content
    let modifier: Modifier
}
extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
    public var body: Never { fatalError() }
}
extension ModifiedContent: Primitive where Content: View, Modifier: ViewModifier {
    public func visit(_ visitor: Visitor) {
        visitor.visit(modifier.body(content: _ViewModifier_Content(view: content)))
    }
}
