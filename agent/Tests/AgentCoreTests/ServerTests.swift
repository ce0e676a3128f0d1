import XCTest

@testable import AgentCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The server over real sockets. What a client of another language sees is tested by the contract suite in Go.
final class ServerTests: XCTestCase {
    private var ended = DispatchSemaphore(value: 0)
    private var reason: Server.Reason?

    private func serve(_ stage: Stage = Stage(), _ change: (inout AgentOptions) -> Void = { _ in }) throws -> Server {
        var options = AgentOptions()
        change(&options)
        let server = try Server(
            agent: Agent(surface: stage, options: options), worker: QueueWorker(), port: 0
        ) { [self] in
            reason = $0
            ended.signal()
        }
        server.start()
        addTeardownBlock { server.stop() }
        return server
    }

    private func dial(_ server: Server, at host: UInt32 = 0x7F00_0001) throws -> Connection {
        #if canImport(Darwin)
            let fd = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let connection = Connection(descriptor: fd)
        if connected != 0 { throw SocketError("connect") }
        return connection
    }

    private func exchange(_ c: Connection, _ request: some Request, version: UInt16 = 1, id: UInt32 = 0) throws
        -> any Response
    {
        try c.write(Frame.encode(Codec.encode(request), version: version, header: Header(id: id)))
        while true {
            let frame = try Frame.read(from: c)
            guard version > 1 else { return try Codec.decodeResponse(frame) }
            let header = try Frame.header(of: frame)
            XCTAssertEqual(header.id, id)
            if header.flags & Header.heartbeat == 0 { return try Codec.decodeResponse(frame, from: Header.size) }
        }
    }

    private func hello(_ token: String = "") -> Hello {
        var hello = Hello()
        (hello.version, hello.token) = (3, token)
        return hello
    }

    /// The client's nonce in these tests.
    private let nonce = [UInt8](repeating: 7, count: 16)

    private func greet(_ c: Connection, nonce: [UInt8]? = nil) throws -> any Response {
        var greet = Greet()
        (greet.version, greet.nonce) = (3, nonce ?? self.nonce)
        return try exchange(c, greet)
    }

    /// Proves a token, after a greeting.
    private func prove(_ c: Connection, _ token: String, _ challenge: Challenge) throws -> any Response {
        var prove = Prove()
        prove.proof = Proof.of(.client, token: token, client: nonce, agent: challenge.nonce)
        return try exchange(c, prove)
    }

    private func enter(_ c: Connection, _ token: String) throws -> any Response {
        try prove(c, token, XCTUnwrap(greet(c) as? Challenge))
    }

    func testBothSidesProveTheToken() throws {
        let client = try dial(try serve { $0.token = "secret" })
        let challenge = try XCTUnwrap(greet(client) as? Challenge)
        XCTAssertEqual(challenge.version, 3)
        XCTAssertEqual(
            challenge.proof, Proof.of(.agent, token: "secret", client: nonce, agent: challenge.nonce))
        let welcome = try prove(client, "secret", challenge) as? Welcome
        XCTAssertEqual(welcome?.version, 3)
        XCTAssertTrue(try exchange(client, Heartbeat(), version: 3, id: 1) is OK)
        for request: any Request in [hello(), Greet(), Prove()] {
            let refusal = try exchange(client, request, version: 3, id: 2) as? Fault
            XCTAssertEqual(refusal?.code, Code.badRequest.rawValue)
        }
    }

    func testAProofIsTakenOnce() throws {
        let server = try serve { $0.token = "secret" }
        let client = try dial(server)
        func refused(_ answer: any Response, _ code: Code = .unauthorized, line: UInt = #line) {
            XCTAssertEqual((answer as? Fault)?.code, code.rawValue, line: line)
        }
        refused(try exchange(client, hello("secret")))
        refused(try exchange(client, Prove()))
        refused(try greet(client, nonce: [1]), .badRequest)
        let first = try XCTUnwrap(greet(client) as? Challenge)
        refused(try prove(client, "guess", first))
        refused(try prove(client, "secret", first))  // too late
        let second = try XCTUnwrap(greet(client) as? Challenge)
        XCTAssertNotEqual(first.nonce, second.nonce)
        var mirror = Prove()
        mirror.proof = second.proof
        refused(try exchange(client, mirror))  // the agent's own proof, sent back
        XCTAssertTrue(try exchange(client, Heartbeat()) is ErrorText, "nothing is done before")
        XCTAssertTrue(try enter(client, "secret") is Welcome)
        refused(try greet(try dial(try serve())), .badRequest)  // an agent without a token has none to prove
    }

    func testTheDeadManSwitch() throws {
        let server = try serve { ($0.token, $0.deadManSeconds) = ("secret", 0.2) }
        let client = try dial(server)
        XCTAssertTrue(try enter(client, "secret") is Welcome)
        client.end()
        XCTAssertEqual(ended.wait(timeout: .now() + 30), .success)
        XCTAssertEqual(reason, .abandoned)
        // The port is closed by the thread that accepts; what it accepted before is ended.
        while let late = try? dial(server) { XCTAssertThrowsError(try Frame.read(from: late)) }
    }

    func testOnlyAClientWithTheTokenKeepsTheAgentAlive() throws {
        let server = try serve { ($0.token, $0.deadManSeconds) = ("secret", 3600) }
        let client = try dial(server)
        XCTAssertTrue(try enter(client, "guess") is Fault)
        XCTAssertFalse(server.isAbandoned(at: .now() + 3500))
        XCTAssertTrue(server.isAbandoned(at: .now() + 3600), "being connected is not enough")
        XCTAssertTrue(try enter(client, "secret") is Welcome)
        XCTAssertFalse(server.isAbandoned(at: .now() + 100_000), "a client may think for as long as it likes")
    }

    func testTheClientIsToldThatTheInputWasSentBeforeTheAnswer() throws {
        let stage = Stage()
        let client = try dial(try serve(stage))
        var (hello, target, act) = (hello(), SetTarget(), Act())
        (hello.version, target.bundle) = (3, Stage.shop)
        XCTAssertTrue(try exchange(client, Act()) is ErrorText, "version 1 has no flags")
        XCTAssertTrue(try exchange(client, hello) is Welcome)
        XCTAssertTrue(try exchange(client, target, version: 3, id: 1) is OK)
        act.input = try Codec.encode(TapCoord())
        try client.write(Frame.encode(Codec.encode(act), version: 3, header: Header(id: 9)))
        let first = try Frame.read(from: client)
        XCTAssertEqual(try Frame.header(of: first), Header(id: 9, flags: Header.sent))
        let second = try Frame.read(from: client)
        XCTAssertEqual(try Frame.header(of: second), Header(id: 9))
        XCTAssertEqual((try Codec.decodeResponse(second, from: Header.size) as? Sight)?.front, Stage.shop)
    }

    /// A request that keeps the worker, until the client has heard that it does.
    func testAHeartbeatTellsHowLongTheWorkerIsStuckAndInWhat() throws {
        let (stage, heard) = (Stage(), DispatchSemaphore(value: 0))
        stage.onTap = { _ in heard.wait() }
        let client = try dial(try serve(stage) { $0.beatSeconds = 0.005 })
        var hello = hello()
        hello.version = 3
        XCTAssertTrue(try exchange(client, hello) is Welcome)
        try client.write(Frame.encode(Codec.encode(TapCoord()), version: 3, header: Header(id: 4)))
        var last: UInt32 = 0
        for _ in 0..<3 {
            let frame = try Frame.read(from: client)
            XCTAssertEqual(try Frame.header(of: frame), Header(id: 4, flags: Header.heartbeat))
            let pulse = try XCTUnwrap(try Codec.decodeResponse(frame, from: Header.size) as? Pulse)
            XCTAssertEqual(pulse.opcode, TapCoord.opcode)
            XCTAssertGreaterThan(pulse.stuckMS, last)
            last = pulse.stuckMS
        }
        heard.signal()
        while true {
            let frame = try Frame.read(from: client)
            if try Frame.header(of: frame).flags == 0 { break }
        }
        XCTAssertTrue(try exchange(client, Heartbeat(), version: 3, id: 5) is OK)
    }

    /// XCTest can hold the main thread for 30 seconds. A client that comes meanwhile must not take the agent for dead.
    func testWhatNeedsNoScreenIsAnsweredWhileTheWorkerIsBusy() throws {
        let (stage, taken, go) = (Stage(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        stage.onTap = { _ in
            taken.signal()
            go.wait()
        }
        let server = try serve(stage) { ($0.token, $0.udid) = ("secret", "U-1") }
        let first = try dial(server)
        XCTAssertTrue(try enter(first, "secret") is Welcome)
        try first.write(Frame.encode(Codec.encode(TapCoord()), version: 3, header: Header(id: 1)))
        taken.wait()
        let second = try dial(server)
        XCTAssertTrue(try enter(second, "secret") is Welcome)
        XCTAssertTrue(try exchange(second, Heartbeat(), version: 3, id: 1) is OK)
        XCTAssertEqual(try exchange(second, DeviceUDID(), version: 3, id: 2) as? Value, Value("U-1"))
        var target = SetTarget()
        target.bundle = Stage.shop
        XCTAssertTrue(try exchange(second, target, version: 3, id: 3) is OK)
        XCTAssertEqual(stage.through, [Agent.springboard], "the request that is under way keeps its target")
        go.signal()
        let info = try exchange(second, GetTargetInfo(), version: 3, id: 4) as? TargetInfo
        XCTAssertTrue(info?.json.contains(Stage.shop) ?? false)
    }

    func testShutdownIsAnsweredWhileTheWorkerIsBusy() throws {
        let (stage, taken, go) = (Stage(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        stage.onTap = { _ in
            taken.signal()
            go.wait()
        }
        let server = try serve(stage)
        let first = try dial(server)
        try first.write(Frame.encode(Codec.encode(TapCoord()), version: 1))
        taken.wait()
        XCTAssertTrue(try exchange(try dial(server), Shutdown()) is OK)
        XCTAssertEqual(ended.wait(timeout: .now() + 30), .success)
        XCTAssertEqual(reason, .stopped)
        go.signal()
    }

    func testAnAnswerThatIsTooLargeIsAFaultAndTheConnectionStays() throws {
        let stage = Stage()
        stage.picture = [UInt8](repeating: 0, count: Frame.longest)
        let client = try dial(try serve(stage))
        XCTAssertTrue(try exchange(client, hello()) is Welcome)
        let answer = try exchange(client, Screenshot(), version: 3, id: 5) as? Fault
        XCTAssertEqual(answer?.code, Code.exception.rawValue)
        XCTAssertTrue(try exchange(client, Heartbeat(), version: 3, id: 6) is OK)
    }

    func testPortsAreOnTheLoopbackOnly() throws {
        let server = try serve()
        XCTAssertNoThrow(try dial(server))
        // Another address of this very machine: who listens on all of them would answer.
        XCTAssertThrowsError(try dial(server, at: 0x7F00_0002))
        XCTAssertThrowsError(try Listener(port: server.port), "the port is taken") {
            XCTAssertEqual(($0 as? SocketError)?.call, "bind")
        }
    }

    /// Seeded garbage in whole frames: each is answered once, and the connection stays.
    func testRandomFrames() throws {
        let client = try dial(try serve())
        for seed in UInt64(1)...300 {
            var random = Random(seed)
            var message = (0..<Int.random(in: 1...30, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // Not a hello, which would change the frames, nothing that waits, and not the end.
            if [0x20, 0x03, 0x04, 0x05, 0x08, 0x09, 0x07, 0x2d, 0x2f].contains(message[0]) { message[0] = 0xEE }
            try client.write(Frame.encode(message, version: 1))
            _ = try Codec.decodeResponse(try Frame.read(from: client))
        }
        XCTAssertTrue(try exchange(client, Heartbeat()) is OK)
    }
}
