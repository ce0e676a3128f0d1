/// Why an agent could not do what it was asked. Codes travel on the wire and are never renumbered.
public enum Code: UInt16, Sendable, CaseIterable {
    case notFound = 1
    case notHittable
    case unstable
    case stale
    case unsupported
    case appNotRunning
    case exception
    case badRequest
    case unauthorized
    case noFocus
    case notInFront
}

/// A failure that is told to the client: with its code in version 3, as text in version 1.
public struct AgentFault: Error, Equatable, CustomStringConvertible {
    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(message) (\(code))" }

    /// Whether waiting may cure it. What the platform threw never is: the next try would throw again, or worse.
    var isPassing: Bool {
        [.notFound, .notHittable, .unstable, .appNotRunning].contains(code)
    }

    /// Any error as a fault. What is not known is an exception.
    static func of(_ error: Error) -> AgentFault {
        switch error {
        case let fault as AgentFault: return fault
        case let bad as DecodeError:
            return AgentFault(bad.kind == .invalidOpcode ? .unsupported : .badRequest, "decode error: \(bad)")
        default: return AgentFault(.exception, String(describing: error))
        }
    }
}

/// A whole frame arrived and makes no sense. The stream is still in step.
public struct DecodeError: Error, Equatable, CustomStringConvertible {
    public enum Kind: String, Sendable {
        case invalidOpcode = "invalid opcode"
        case insufficientData = "insufficient data"
        case badUTF8 = "bad UTF-8"
        case invalidPayload = "invalid payload"
    }
    public var kind: Kind
    public var detail: String

    public var description: String { "\(kind.rawValue): \(detail)" }
}
