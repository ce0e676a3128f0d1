#if canImport(SwiftUI)
    import SwiftUI

    /// Gives every property and function of a type that is `some View`, but `body`, an identifier of the type's and its own name:
    /// `submit` of `LoginView` is `login.submit`. In a list, see `identified(by:)`. Nothing in release builds.
    ///
    /// - Parameter screen: what to say in place of the type's name, such as that of the list for the type of its rows.
    @attached(member, names: arbitrary)
    @attached(memberAttribute)
    public macro AgentIdentified(screen: String = "") =
        #externalMacro(module: "AgentIdentifiersMacros", type: "AgentIdentifiedMacro")

    /// Leaves a property or function of an `@AgentIdentified` type without an identifier.
    @attached(peer)
    public macro AgentIgnored() = #externalMacro(module: "AgentIdentifiersMacros", type: "AgentIgnoredMacro")

    #if DEBUG
        /// The type that `@AgentIdentified` makes for an element.
        public protocol AgentName {
            static var identifier: String { get }
            static var isContainer: Bool { get }
        }

        extension AgentName {
            public static var isContainer: Bool { false }
        }

        /// What an element of a module without DEBUG has for a name.
        public enum NoAgentName: AgentName {
            public static var identifier: String { "" }
        }

        /// SwiftUI's own builder, and at the end the identifier.
        @resultBuilder
        public enum AgentBuilder<Name: AgentName> {
            public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
            public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
            public static func buildOptional<Content: View>(_ content: Content?) -> Content? { content }

            public static func buildEither<First: View, Second: View>(
                first: First
            ) -> _ConditionalContent<First, Second> { ViewBuilder.buildEither(first: first) }

            public static func buildEither<First: View, Second: View>(
                second: Second
            ) -> _ConditionalContent<First, Second> { ViewBuilder.buildEither(second: second) }

            public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView {
                AnyView(content)
            }

            public static func buildFinalResult<Content: View>(_ content: Content) -> some View {
                content.modifier(IdentifiedModifier(name: Name.identifier, isContainer: Name.isContainer))
            }
        }
    #else
        public protocol AgentName {}
        public enum NoAgentName {}
        public typealias AgentBuilder<Name> = ViewBuilder
    #endif
#endif
