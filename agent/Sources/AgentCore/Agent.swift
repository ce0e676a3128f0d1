import Foundation

/// Which agent this is, and what it may do.
public struct AgentOptions {
    /// The simulator it runs on; empty on hardware.
    public var udid = ""
    /// When not empty, nothing is answered before a client has proven that it has it.
    public var token = ""
    /// Told in the answer to a hello.
    public var name = "xctest"
    public var build = ""
    /// The app that the agent itself is; empty where it is none.
    public var bundle = ""
    public var pid = Int(ProcessInfo.processInfo.processIdentifier)
    public var limits = Limits()
    /// The agent leaves after so many seconds without a client that may give orders; 0 is never.
    public var deadManSeconds = 120.0
    /// How often a client that waits is told that the agent lives.
    public var beatSeconds = 1.0

    public init() {}
}

/// The part of an agent that outlives a connection: what it looks at, and how each request is carried out. It is used on
/// one thread, the worker's, except where it says otherwise.
public final class Agent {
    public static let springboard = "com.apple.springboard"

    let options: AgentOptions
    let surface: Surface
    let clock: Clock
    /// The app that the request is about.
    private(set) var target = Agent.springboard
    /// The app that the next request is about. It is chosen on any thread; a request that is under way keeps its own.
    private var chosen = Agent.springboard
    private let choice = NSLock()
    /// How many trees were read so far.
    var reads: UInt32 = 0
    /// The target's tree, read just now by the Act whose input is carried out. It is used once.
    var fresh: Node?
    /// Tells the client that the input of its Act was sent.
    var announce: () -> Void = {}
    /// Whether the client who asked is gone, so that there is no point in waiting on.
    var isAbandoned: () -> Bool = { false }

    public init(surface: Surface, clock: Clock = SystemClock(), options: AgentOptions = AgentOptions()) {
        (self.surface, self.clock, self.options) = (surface, clock, options)
    }

    /// Carries out one request. Throws an AgentFault.
    public func answer(_ request: any Request) throws -> any Response {
        if let answer = answerAtOnce(request) { return answer }
        target = choice.withLock { chosen }
        do {
            return try carryOut(request)
        } catch {
            throw AgentFault.of(error)
        }
    }

    /// Answers what needs no screen, on any thread. XCTest can hold the main one for 30 seconds, in which the agent must not
    /// look dead.
    func answerAtOnce(_ request: any Request) -> (any Response)? {
        switch request {
        case is Heartbeat: return OK()
        case is DeviceUDID: return Value(options.udid.isEmpty ? nil : options.udid)
        case let r as SetTarget:
            choice.withLock { chosen = r.bundle }
            return OK()
        default: return nil
        }
    }

    /// Carries out a request as if an app were the target, whose tree has just been read.
    func carryOut(_ request: any Request, on bundle: String, fresh root: Node?) throws {
        let before = target
        (target, fresh) = (bundle, root)
        defer { (target, fresh) = (before, nil) }
        _ = try carryOut(request)
    }

    private func carryOut(_ request: any Request) throws -> any Response {
        switch request {
        case let r as TapCoord: return try tap(Point(x: Double(r.x), y: Double(r.y)))
        case let r as TapElement: return try tap(Query(r.selector), wait: seconds(r.timeoutMS))
        case let r as TapByLabel: return try tap(Query(r.label, byLabel: true), wait: seconds(r.timeoutMS))
        case let r as TapWithType: return try tapWithType(r)
        case let r as TypeText: return try type(r.text)
        case let r as Swipe: return try swipe(r)
        case let r as LongPress: return try longPress(r)
        case let r as GetValue: return try getValue(r)
        case is DumpTree: return try dumpTree()
        case is Screenshot: return ImageResponse(png: try surface.screenshot())
        case let r as FindElement: return try findElement(r)
        case is GetTargetInfo: return try targetInfo()
        case let r as Look: return try look(r)
        case let r as Act: return try act(r)
        case let r as DoubleTap: return try doubleTap(Point(x: Double(r.x), y: Double(r.y)))
        case is Clear: return try clear()
        case let r as SetValue: return try setValue(r)
        case let r as Key: return try key(r)
        case let r as Drag: return try drag(r)
        case let r as Pinch: return try pinch(r)
        case let r as Alert: return try alert(r)
        case let r as Button: return try button(r)
        case let r as Rotate: return try rotate(r)
        default: throw AgentFault(.unsupported, "this agent does not serve opcode \(Swift.type(of: request).opcode)")
        }
    }
}

/// The system's own clock.
public final class SystemClock: Clock {
    public init() {}
    public var now: Double { ProcessInfo.processInfo.systemUptime }

    /// On the main thread the run loop goes on meanwhile: a request that waits is not stuck.
    public func sleep(_ seconds: Double) {
        let end = Date(timeIntervalSinceNow: max(0, seconds))
        while Thread.isMainThread, RunLoop.current.run(mode: .default, before: end), end.timeIntervalSinceNow > 0 {}
        Thread.sleep(until: end)
    }
}
