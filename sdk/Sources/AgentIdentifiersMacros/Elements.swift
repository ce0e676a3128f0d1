import IdentifierScheme
import SwiftDiagnostics
import SwiftSyntax

/// A property or function of a type that makes a view.
struct Element {
    let name: String
    var sources: [String]  // its declarations: several if `#if` chooses one
    let isContainer: Bool  // it holds other elements, whose identifiers it must leave to them
}

/// The elements of a type.
struct Elements {
    private(set) var identified: [Element] = []
    private(set) var problems: [Diagnostic] = []

    init(of declaration: some DeclGroupSyntax) {
        let makers = Elements.makers(in: declaration.memberBlock.members, isChosen: false)
        let names = Set(makers.map(\.name))
        for maker in makers { add(maker, among: names) }
    }

    private static func makers(in members: MemberBlockItemListSyntax, isChosen: Bool) -> [Maker] {
        members.flatMap { member -> [Maker] in
            guard let choice = member.decl.as(IfConfigDeclSyntax.self) else {
                return Maker(member.decl, isChosen: isChosen).map { [$0] } ?? []
            }
            return choice.clauses.flatMap { clause -> [Maker] in
                guard case .decls(let inner) = clause.elements else { return [] }
                return makers(in: inner, isChosen: true)
            }
        }
    }

    private mutating func add(_ maker: Maker, among names: Set<String>) {
        if let problem = maker.problem {
            problems.append(problem)
            return
        }
        let source = maker.declaration.trimmedDescription
        guard let same = identified.firstIndex(where: { $0.name == maker.name }) else {
            let isContainer = Outermost(maker.body).isContainer(knowing: names.subtracting([maker.name]))
            identified.append(Element(name: maker.name, sources: [source], isContainer: isContainer))
            return
        }
        if maker.isChosen {
            identified[same].sources.append(source)
        } else {
            problems.append(Problem.twice(maker.name).at(maker.declaration))
        }
    }
}

/// A declaration that makes a view: `var name: some View { … }` or `func name(…) -> some View { … }`.
private struct Maker {
    let name: String
    let declaration: DeclSyntax
    let body: CodeBlockItemListSyntax
    let isChosen: Bool  // by an `#if`
    private let attributes: AttributeListSyntax

    init?(_ declaration: DeclSyntax, isChosen: Bool) {
        let modifiers: DeclModifierListSyntax
        if let property = declaration.as(VariableDeclSyntax.self), let binding = property.bindings.first,
            property.bindings.count == 1, isSomeView(binding.typeAnnotation?.type),
            let body = getter(binding.accessorBlock)
        {
            (name, self.body) = (Scheme.element(ofDeclared: binding.pattern.trimmedDescription), body)
            (attributes, modifiers) = (property.attributes, property.modifiers)
        } else if let function = declaration.as(FunctionDeclSyntax.self), let body = function.body,
            isSomeView(function.signature.returnClause?.type), function.name.tokenKind.isName
        {
            (name, self.body) = (Scheme.element(ofDeclared: function.name.text), body.statements)
            (attributes, modifiers) = (function.attributes, function.modifiers)
        } else {
            return nil
        }
        let isOfType = modifiers.contains { ["static", "class"].contains($0.name.text) }
        if isOfType || name == "body" || Maker.attribute(AgentIgnoredMacro.name, in: attributes) != nil { return nil }
        (self.declaration, self.isChosen) = (declaration, isChosen)
    }

    /// Why it cannot get an identifier.
    var problem: Diagnostic? {
        if let builder = Maker.attribute("ViewBuilder", in: attributes) {
            return Problem.builder(name).at(builder)
        }
        let outermost = Outermost(body)
        if let word = outermost.returns.first { return Problem.returns(name).at(word) }
        if outermost.isSeveral { return Problem.several(name).at(declaration) }
        return nil
    }

    private static func attribute(_ name: String, in attributes: AttributeListSyntax) -> AttributeSyntax? {
        attributes.compactMap { $0.as(AttributeSyntax.self) }.first {
            $0.attributeName.trimmedDescription.split(separator: ".").last.map(String.init) == name
        }
    }
}

extension TokenKind {
    /// Whether it is a name: of an operator no identifier can be made.
    fileprivate var isName: Bool { if case .identifier = self { true } else { false } }
}

private func isSomeView(_ type: TypeSyntax?) -> Bool {
    guard let some = type?.as(SomeOrAnyTypeSyntax.self), some.someOrAnySpecifier.text == "some" else { return false }
    return ["View", "SwiftUI.View"].contains(some.constraint.trimmedDescription)
}

/// The statements of a getter, if there is no setter beside it.
private func getter(_ block: AccessorBlockSyntax?) -> CodeBlockItemListSyntax? {
    if case .getter(let statements) = block?.accessors { return statements }
    guard case .accessors(let all) = block?.accessors, all.count == 1, let only = all.first else { return nil }
    return only.accessorSpecifier.text == "get" ? only.body?.statements : nil
}
