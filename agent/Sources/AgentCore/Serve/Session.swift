import Foundation

/// One connection to the agent. It lives on a thread of its own, which reads, answers and tells the client that the agent
/// is alive while the worker carries out a request.
final class Session: @unchecked Sendable {
    private let server: Server
    let connection: Connection
    private var version: UInt16 = 1
    private var allowed = false
    /// What the client has greeted with: the proof it must give, and the version it offers.
    private var greeted: (proof: [UInt8], version: UInt16)?
    private let mark = NSLock()
    private var gone = false

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
        var opens = false
        do {
            if version > 1 { header = try Frame.header(of: frame) }
            let request = try Codec.decodeRequest(frame, from: version > 1 ? Header.size : 0)
            opens = request is Hello || request is Greet || request is Prove
            let answered = reply(try answer(request, id: header.id), id: header.id)
            if request is Shutdown { server.stop() }
            return answered
        } catch {
            return reply(failure(AgentFault.of(error), opens: opens), id: header.id)
        }
    }

    private func answer(_ request: any Request, id: UInt32) throws -> any Response {
        switch request {
        case let r as Hello: return try welcome(r)
        case let r as Greet: return try challenge(r)
        case let r as Prove: return try welcome(r)
        default: break
        }
        guard allowed else { throw AgentFault(.unauthorized, "unauthorized: prove this agent's token first") }
        guard version > 1 || !(request is Act) else {
            throw AgentFault(.unsupported, "version 1 has no flag for an input that was sent")
        }
        if request is Shutdown { return OK() }
        return try server.agent.answerAtOnce(request) ?? carryOut(request, id: id)
    }

    /// Hands the request to the worker and waits, sending heartbeats from this thread, which is not the worker's.
    private func carryOut(_ request: any Request, id: UInt32) throws -> any Response {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome()
        server.worker.perform { [self] in
            if !isGone {
                server.agent.isAbandoned = { [self] in isGone }
                server.agent.announce = { [self] in if !send(OK(), Header(id: id, flags: Header.sent)) { end() } }
                outcome.result = Result { try server.agent.answer(request) }
            }
            done.signal()
        }
        let stall = Stall(server.worker)
        _ = stall.measure(at: server.agent.clock.now)
        while done.wait(timeout: .now() + server.options.beatSeconds) != .success {
            let stuck = stall.measure(at: server.agent.clock.now)
            let pulse = Pulse(stuckMS: stuck, opcode: type(of: request).opcode)
            if version > 1, !send(pulse, Header(id: id, flags: Header.heartbeat)) { end() }
        }
        return try outcome.result.get()
    }

    private func welcome(_ hello: Hello) throws -> any Response {
        try mustBeFirst()
        guard server.options.token.isEmpty else {
            throw AgentFault(.unauthorized, "unauthorized: this agent has a token; greet it")
        }
        return welcome(version: hello.version)
    }

    /// Proves that the agent has the token, and says what the client's proof is to be of.
    private func challenge(_ greet: Greet) throws -> any Response {
        try mustBeFirst()
        let token = server.options.token
        guard !token.isEmpty, greet.nonce.count == Proof.nonceSize else {
            throw AgentFault(.badRequest, "this agent has no token, or the nonce has not \(Proof.nonceSize) bytes")
        }
        let nonce = Proof.nonce()
        greeted = (Proof.of(.client, token: token, client: greet.nonce, agent: nonce), greet.version)
        return Challenge(
            version: min(greet.version, Frame.version), nonce: nonce,
            proof: Proof.of(.agent, token: token, client: greet.nonce, agent: nonce))
    }

    /// Lets in a client that has the token. A proof is taken once: after a wrong one the client must greet again.
    private func welcome(_ prove: Prove) throws -> any Response {
        try mustBeFirst()
        defer { greeted = nil }
        guard let greeted, Proof.same(prove.proof, greeted.proof) else {
            throw AgentFault(.unauthorized, "unauthorized: that does not prove this agent's token")
        }
        return welcome(version: greeted.version)
    }

    private func mustBeFirst() throws {
        guard version == 1 else { throw AgentFault(.badRequest, "hello was said already") }
    }

    private func welcome(version: UInt16) -> Welcome {
        authorise()
        let options = server.options
        let json =
            "{\"agent\":\(JSON.quoted(options.name)),\"build\":\(JSON.quoted(options.build)),"
            + "\"udid\":\(JSON.quoted(options.udid)),\"pid\":\(options.pid)}"
        return Welcome(version: version < Frame.version ? 1 : Frame.version, json: json)
    }

    private func authorise() {
        allowed = true
        server.adopt(self)
    }

    /// A failure in the words of the client's version. What opens a connection is refused in those of version 3: its
    /// client knows them, and takes an error of version 1 for an agent of version 1.
    private func failure(_ fault: AgentFault, opens: Bool) -> any Response {
        opens || version > 1 ? Fault(fault) : ErrorText(fault.message)
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
            let short = try Codec.encode(failure(large, opens: false))
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
