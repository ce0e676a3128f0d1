import Foundation

/// Serves one agent on a port of the loopback interface. It has one client: a connection becomes it by a hello or a
/// good proof, or, without a token, by connecting, and the one before is closed. When nobody has been the client for long
/// enough, the agent is abandoned: its host died, and it must not live on for ever.
public final class Server: @unchecked Sendable {
    public let agent: Agent
    let worker: Worker
    private let listener: Listener
    private let state = NSLock()
    private var sessions: [ObjectIdentifier: Session] = [:]
    private var client: Session?
    private var alone: DispatchTime? = .now()  // since when there is no client
    private var stopped = false
    private let onEnd: (Reason) -> Void
    private var watch: DispatchSourceTimer?

    /// Why a server ended.
    public enum Reason: Equatable, Sendable {
        case stopped
        case abandoned
    }

    var options: AgentOptions { agent.options }
    public var port: UInt16 { listener.port }

    /// Prints the port, on a line of its own, for a host that waits for it. Nothing waits for it in a buffer.
    public func announce() {
        print("ios-agent listens on 127.0.0.1:\(port)")
        fflush(nil)
    }

    /// Listens from now on; `start` serves. Port 0 takes a free one.
    public init(agent: Agent, worker: Worker, port: UInt16, onEnd: @escaping (Reason) -> Void) throws {
        (self.agent, self.worker, self.onEnd) = (agent, worker, onEnd)
        listener = try Listener(port: port)
    }

    /// Serves on threads of its own until it is stopped or abandoned; then `onEnd` is called, once.
    public func start() {
        thread("agent accept") { [self] in
            listener.run { connection in
                let session = Session(self, connection)
                if meet(session) { thread("agent session") { session.run() } }
            }
        }
        guard options.deadManSeconds > 0 else { return }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "agent dead-man switch"))
        let period = min(1, options.deadManSeconds / 4)
        timer.schedule(deadline: .now() + period, repeating: period)
        timer.setEventHandler { [weak self] in self?.checkAlone() }
        timer.resume()
        watch = timer
    }

    public func stop() { finish(.stopped) }

    /// Remembers a session, so that it ends with the server. Returns false when the server has ended already.
    private func meet(_ session: Session) -> Bool {
        let late = state.withLock {
            if !stopped { sessions[ObjectIdentifier(session)] = session }
            return stopped
        }
        if late { session.end() }
        return !late
    }

    /// Makes a session the only one that may give orders.
    func adopt(_ session: Session) {
        let before: Session? = state.withLock {
            defer { (client, alone) = (session, nil) }
            return client
        }
        if let before, before !== session { before.end() }
    }

    /// A session ended.
    func left(_ session: Session) {
        state.withLock {
            sessions[ObjectIdentifier(session)] = nil
            if client === session { (client, alone) = (nil, .now()) }
        }
    }

    private func checkAlone() {
        if isAbandoned(at: .now()) { finish(.abandoned) }
    }

    /// Whether at that moment nobody will have been the client for too long, if nobody comes until then.
    func isAbandoned(at time: DispatchTime) -> Bool {
        state.withLock { alone.map { $0 + options.deadManSeconds <= time } ?? false }
    }

    private func finish(_ reason: Reason) {
        let first = state.withLock {
            defer { stopped = true }
            return !stopped
        }
        guard first else { return }
        watch?.cancel()
        listener.stop()
        for session in state.withLock({ sessions.values }) { session.end() }
        onEnd(reason)
    }

    private func thread(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = name
        thread.stackSize = 4 << 20
        thread.start()
    }
}
