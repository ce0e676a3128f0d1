import SwiftDiagnostics
import SwiftSyntax

/// What the macro says, as a warning of the compiler, or as an error if nothing can be identified at all.
struct Problem: DiagnosticMessage {
    let message: String
    let severity: DiagnosticSeverity
    private let id: String

    var diagnosticID: MessageID { MessageID(domain: "AgentIdentifiers", id: id) }

    static let screen = Problem(
        message: "a screen is a string of letters, digits, '-' and '_', written out", severity: .error, id: "screen")
    static let type = Problem(message: "only a type or an extension has elements", severity: .error, id: "type")

    static func twice(_ name: String) -> Problem {
        Problem(
            message: "'\(name)' gets no identifier, because another '\(name)' has it: rename one, or mark this one "
                + "@AgentIgnored",
            severity: .warning, id: "twice")
    }
    static func builder(_ name: String) -> Problem {
        Problem(
            message: "'\(name)' gets no identifier, because it has a builder already: remove @ViewBuilder, which "
                + "@AgentIdentified stands for",
            severity: .warning, id: "builder")
    }
    static func returns(_ name: String) -> Problem {
        Problem(
            message: "'\(name)' gets no identifier, because it is not built as a view: leave out 'return'",
            severity: .warning, id: "returns")
    }
    static func several(_ name: String) -> Problem {
        Problem(
            message: "'\(name)' gets no identifier, because it is several views: make a property of each, or mark it "
                + "@AgentIgnored",
            severity: .warning, id: "several")
    }

    func at(_ node: some SyntaxProtocol) -> Diagnostic { Diagnostic(node: Syntax(node), message: self) }
}
