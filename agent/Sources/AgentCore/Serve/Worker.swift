import Foundation

/// Where requests are carried out, one at a time: the main thread for XCUITest.
public protocol Worker: AnyObject {
    func perform(_ work: @escaping @Sendable () -> Void)
    /// Calls back from the thread of the work as soon as that takes anything, be it in the middle of a request.
    func probe(_ answer: @escaping @Sendable () -> Void)
}

/// The main thread as a worker. A request is a block of its run loop, not of its queue: while it waits, as XCTest does by
/// running the loop, the queue then goes on, and a probe is answered. Another request has to wait all the same.
public final class MainWorker: Worker, @unchecked Sendable {
    private let state = NSLock()
    private var waiting: [@Sendable () -> Void] = []
    private var busy = false

    public init() {}

    public func perform(_ work: @escaping @Sendable () -> Void) {
        state.withLock { waiting.append(work) }
        startNext()
    }

    public func probe(_ answer: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: answer) }

    private func startNext() {
        DispatchQueue.main.async { RunLoop.main.perform { [self] in runNext() } }
    }

    private func runNext() {
        let next: (@Sendable () -> Void)? = state.withLock {
            guard !busy, !waiting.isEmpty else { return nil }
            busy = true
            return waiting.removeFirst()
        }
        guard let next else { return }
        next()
        state.withLock { busy = false }
        startNext()
    }
}

/// How long a worker has not answered. Whenever it has, it is asked again.
final class Stall: @unchecked Sendable {
    private let worker: Worker
    private let state = NSLock()
    private var asked: Double?

    init(_ worker: Worker) { self.worker = worker }

    /// The milliseconds since the question that is not answered yet; 0 if there is none.
    func measure(at now: Double) -> UInt32 {
        let since: Double? = state.withLock {
            defer { asked = asked ?? now }
            return asked
        }
        if let since { return UInt32(clamping: Int(((now - since) * 1000).rounded())) }
        worker.probe { [self] in state.withLock { asked = nil } }
        return 0
    }
}
