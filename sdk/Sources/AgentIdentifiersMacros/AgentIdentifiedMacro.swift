import IdentifierScheme
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@AgentIdentified`. For each element it adds a type that has the identifier, and has the element built by a builder of
/// that type, which sets it. Without DEBUG both are names of nothing of ours.
public struct AgentIdentifiedMacro: MemberMacro, MemberAttributeMacro {
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let screen = screen(node, declaration, context) else { return [] }
        let elements = Elements(of: declaration)
        elements.problems.forEach(context.diagnose)
        return elements.identified.map { element in
            let identifier = Scheme.identifier(screen: screen, element: element.name)
            let container = element.isContainer ? "\n    static var isContainer: Bool { true }" : ""
            return """
                #if DEBUG
                enum \(raw: typeName(element)): AgentIdentifiers.AgentName {
                    static var identifier: String { "\(raw: identifier)" }\(raw: container)
                }
                #else
                typealias \(raw: typeName(element)) = AgentIdentifiers.NoAgentName
                #endif
                """
        }
    }

    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard screen(node, declaration, nil) != nil else { return [] }
        // The compiler hands over a copy of the member.
        let text = member.trimmedDescription
        guard let element = Elements(of: declaration).identified.first(where: { $0.sources.contains(text) }) else {
            return []
        }
        return ["@AgentIdentifiers.AgentBuilder<\(raw: typeName(element))>"]
    }

    private static func typeName(_ element: Element) -> String { "AgentName_\(element.name)" }

    /// The screen: what the attribute says, else what the type's name does; nil, told, if neither says one.
    private static func screen(
        _ node: AttributeSyntax, _ declaration: some DeclGroupSyntax, _ context: (any MacroExpansionContext)?
    ) -> String? {
        if let argument = node.arguments?.as(LabeledExprListSyntax.self)?.first {
            let given = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
            if let given, Scheme.isScreen(given) { return given }
            context?.diagnose(Problem.screen.at(argument.expression))
            return nil
        }
        if let named = declaration.asProtocol(NamedDeclSyntax.self), !declaration.is(ProtocolDeclSyntax.self) {
            return Scheme.screen(ofType: Scheme.element(ofDeclared: named.name.text))
        }
        if let extended = declaration.as(ExtensionDeclSyntax.self)?.extendedType {
            return Scheme.screen(ofType: extended.trimmedDescription)
        }
        context?.diagnose(Problem.type.at(node))
        return nil
    }
}

/// `@AgentIgnored`: the element gets no identifier of ours.
public struct AgentIgnoredMacro: PeerMacro {
    static let name = "AgentIgnored"

    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}
