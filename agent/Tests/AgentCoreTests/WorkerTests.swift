import XCTest

@testable import AgentCore

final class WorkerTests: XCTestCase {
    /// Answers a probe when it is told to.
    private final class Silent: Worker {
        var probes: [@Sendable () -> Void] = []
        func perform(_ work: @escaping @Sendable () -> Void) { XCTFail("nothing is to be done") }
        func probe(_ answer: @escaping @Sendable () -> Void) { probes.append(answer) }
    }

    func testAStallIsMeasuredFromTheQuestionThatIsNotAnswered() {
        let worker = Silent()
        let stall = Stall(worker)
        XCTAssertEqual([10, 11, 22.5].map { stall.measure(at: $0) }, [0, 1000, 12_500])
        XCTAssertEqual(worker.probes.count, 1, "it is asked once")
        worker.probes[0]()
        XCTAssertEqual([30, 31].map { stall.measure(at: $0) }, [0, 1000], "asked again, and silent again")
        worker.probes[1]()
        XCTAssertEqual(stall.measure(at: 40), 0)
        XCTAssertEqual(worker.probes.count, 3)
    }

    /// Runs the main run loop, as XCTest does while it waits, until something has happened.
    private func run(until happened: () -> Bool) {
        let limit = Date(timeIntervalSinceNow: 30)
        while !happened(), RunLoop.main.run(mode: .default, before: limit), limit.timeIntervalSinceNow > 0 {}
        XCTAssertTrue(happened())
    }

    func testARequestThatWaitsAnswersProbesAndStartsNoOther() {
        let worker = MainWorker()
        let log = Log()
        worker.perform { [self] in
            log.add("first")
            worker.perform { log.add("second") }
            worker.probe { log.add("probe") }
            run { log.lines.contains("probe") }
            // One more turn of the queue, in which the second would begin.
            worker.probe { DispatchQueue.main.async { log.add("later") } }
            run { log.lines.contains("later") }
            log.add("first ends")
        }
        run { log.lines.contains("second") }
        XCTAssertEqual(log.lines, ["first", "probe", "later", "first ends", "second"])
    }

    func testTheClockLetsTheMainQueueGoOn() {
        let (worker, log) = (MainWorker(), Log())
        worker.perform {
            worker.probe { log.add("probe") }
            SystemClock().sleep(0)
            log.add("awake")
        }
        run { log.lines.contains("awake") }
        XCTAssertEqual(log.lines, ["probe", "awake"])
    }

    private final class Log: @unchecked Sendable {
        private let lock = NSLock()
        private var all: [String] = []
        var lines: [String] { lock.withLock { all } }
        func add(_ line: String) { lock.withLock { all.append(line) } }
    }
}
