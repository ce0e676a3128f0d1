import Foundation

/// One connection to the agent. It lives on a thread of its own, which reads, answers and tells the client that the agent
/// is alive while the worker carries out a request.
final class Session: @unchecked Sendable {
    private let server: Server
    let connection: Connection
    private var version: UInt16 = 1
    private var allowed = false
    private let mark = NSLock()
    private var gone = false

    /// How often a client that waits is told that it may wait on.
    private static let beatEvery = 1.0
    /// How much longer than its own time a request may take before silence tells the client that something hangs.
    private static let grace = 120.0

    /// Made by the thread that accepts: where no token is needed the newest connection is the client, and threads of
    /// their own would decide that by chance.
    init(_ server: Server, _ connection: Connection) {
        (self.server, self.connection) = (server, connection)
        if server.options.token.isEmpty { authorise() }
    }

    /// Ends the session from outside.
    func end() {
        mark.withLock { gone = true }
        connection.end()
    }

    private var isGone: Bool { mark.withLock { gone } }

    /// Answers requests in turn until the stream ends. A frame that makes no sense is answered too.
    func run() {
        while let frame = try? Frame.read(from: connection), respond(to: frame) {}
        end()
        server.left(self)
    }

    /// Returns false when the client cannot be answered any more.
    private func respond(to frame: [UInt8]) -> Bool {
        var header = Header()
        var hello = false
        do {
            if version >= 2 { header = try Frame.header(of: frame) }
            let request = try Codec.decodeRequest(frame, from: version >= 2 ? Header.size : 0)
            hello = request is Hello
            return reply(try answer(request, id: header.id), id: header.id)
        } catch {
            return reply(failure(AgentFault.of(error), hello: hello), id: header.id)
        }
    }

    private func answer(_ request: any Request, id: UInt32) throws -> any Response {
        if let hello = request as? Hello { return try welcome(hello) }
        guard allowed else {
            throw AgentFault(.unauthorized, "unauthorized: say hello with the agent's token first")
        }
        return try carryOut(request, id: id)
    }

    /// Hands the request to the worker and waits, sending heartbeats for as long as the request can be expected to last.
    private func carryOut(_ request: any Request, id: UInt32) throws -> any Response {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome()
        server.worker.perform { [self] in
            if !isGone {
                server.agent.isAbandoned = { [self] in isGone }
                outcome.result = Result { try server.agent.answer(request) }
            }
            done.signal()
        }
        let beats = Int((request.ownTime + Session.grace) / Session.beatEvery)
        for beat in 1... {
            if done.wait(timeout: .now() + Session.beatEvery) == .success { break }
            if beat <= beats, !sendHeartbeat(id) { end() }
        }
        return try outcome.result.get()
    }

    private func sendHeartbeat(_ id: UInt32) -> Bool {
        version < 2 || send(OK(), Header(id: id, flags: Header.heartbeat))
    }

    private func welcome(_ hello: Hello) throws -> any Response {
        guard version < 2 else { throw AgentFault(.badRequest, "hello was said already") }
        let options = server.options
        guard options.token.isEmpty || sameSecret(hello.token, options.token) else {
            throw AgentFault(.unauthorized, "unauthorized: that is not this agent's token")
        }
        authorise()
        let json =
            "{\"agent\":\(JSON.quoted(options.name)),\"build\":\(JSON.quoted(options.build)),"
            + "\"udid\":\(JSON.quoted(options.udid)),\"pid\":\(options.pid)}"
        return Welcome(version: min(max(hello.version, 1), Frame.version), json: json)
    }

    private func authorise() {
        allowed = true
        server.adopt(self)
    }

    /// A failure in the words of the client's version. A hello is refused in those of version 2: a client that says hello
    /// knows them, and takes an error of version 1 for an agent of version 1.
    private func failure(_ fault: AgentFault, hello: Bool) -> any Response {
        hello || version >= 2 ? Fault(fault) : ErrorText(fault.message)
    }

    /// Sends a response and, when it is a welcome, speaks the version it names from then on.
    private func reply(_ response: any Response, id: UInt32) -> Bool {
        guard send(response, Header(id: id)) else { return false }
        if let welcome = response as? Welcome { version = welcome.version }
        return true
    }

    private func send(_ response: any Response, _ header: Header) -> Bool {
        do {
            let message = try Codec.encode(response)
            if let frame = try? Frame.encode(message, version: version, header: header) {
                try connection.write(frame)
                return true
            }
            let large = AgentFault(.exception, "the answer is too large: \(message.count) bytes")
            let short = try Codec.encode(failure(large, hello: false))
            try connection.write(try Frame.encode(short, version: version, header: header))
            return true
        } catch {
            return false
        }
    }
}

/// What the worker leaves for the session; the semaphore between them keeps them apart.
private final class Outcome: @unchecked Sendable {
    var result: Result<any Response, Error> = .failure(AgentFault(.stale, "the client is gone"))
}

/// Compares without telling by its time how much was right.
private func sameSecret(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
