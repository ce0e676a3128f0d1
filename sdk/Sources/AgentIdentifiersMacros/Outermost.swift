import SwiftSyntax

/// The views that a body is made of, without what is inside them: `Button` of `Button("Go") { … }.padding()`.
struct Outermost {
    private(set) var views: [ExprSyntax] = []
    private(set) var returns: [ReturnStmtSyntax] = []
    /// Whether several views stand side by side, so that each would get the same identifier.
    private(set) var isSeveral = false

    /// What SwiftUI hands an identifier down from, to each view inside.
    private static let containers: Set<String> = [
        "ControlGroup", "DisclosureGroup", "ForEach", "Form", "GeometryReader", "Grid", "GridRow", "Group", "GroupBox",
        "HStack", "LazyHGrid", "LazyHStack", "LazyVGrid", "LazyVStack", "List", "NavigationSplitView",
        "NavigationStack", "NavigationView", "OutlineGroup", "ScrollView", "ScrollViewReader", "Section", "TabView",
        "Table", "TimelineView", "VStack", "ViewThatFits", "ZStack",
    ]

    init(_ body: CodeBlockItemListSyntax) { read(body) }

    /// Whether a view is one of SwiftUI's containers, or one that mentions another element of its type.
    func isContainer(knowing elements: Set<String>) -> Bool {
        views.contains { view in
            Outermost.containers.contains(Outermost.base(of: view))
                || view.tokens(viewMode: .sourceAccurate).contains { token in
                    if case .identifier(let name) = token.tokenKind { elements.contains(name) } else { false }
                }
        }
    }

    private mutating func read(_ body: CodeBlockItemListSyntax) {
        var count = 0
        for statement in body {
            if case .expr(let expression) = statement.item {
                read(expression)
                count += 1
            } else if case .stmt(let inner) = statement.item, let word = inner.as(ReturnStmtSyntax.self) {
                returns.append(word)
            } else if case .stmt(let inner) = statement.item, let choice = inner.as(ExpressionStmtSyntax.self) {
                read(choice.expression)
                count += 1
            } else if case .decl(let declaration) = statement.item {
                count += read(declaration) ? 1 : 0
            }
        }
        isSeveral = isSeveral || count > 1
    }

    private mutating func read(_ expression: ExprSyntax) {
        if let choice = expression.as(IfExprSyntax.self) {
            read(choice)
        } else if let choice = expression.as(SwitchExprSyntax.self) {
            for case .switchCase(let one) in choice.cases { read(one.statements) }
        } else {
            views.append(expression)
        }
    }

    private mutating func read(_ choice: IfExprSyntax) {
        read(choice.body.statements)
        if case .ifExpr(let next) = choice.elseBody { read(next) }
        if case .codeBlock(let block) = choice.elseBody { read(block.statements) }
    }

    /// Reads what `#if` chooses; other declarations make no view. Says whether there may be one.
    private mutating func read(_ declaration: DeclSyntax) -> Bool {
        guard let choice = declaration.as(IfConfigDeclSyntax.self) else { return false }
        for clause in choice.clauses {
            if case .statements(let statements) = clause.elements { read(statements) }
        }
        return true
    }

    /// The name that a chain of calls begins with.
    private static func base(of expression: ExprSyntax) -> String {
        if let call = expression.as(FunctionCallExprSyntax.self) { return base(of: call.calledExpression) }
        if let generic = expression.as(GenericSpecializationExprSyntax.self) { return base(of: generic.expression) }
        if let member = expression.as(MemberAccessExprSyntax.self), let inner = member.base {
            return inner.trimmedDescription == "SwiftUI" ? member.declName.baseName.text : base(of: inner)
        }
        return expression.as(DeclReferenceExprSyntax.self)?.baseName.text ?? ""
    }
}
