import XCTest

@testable import AgentCore

final class TapTests: AgentTestCase {
    func testTapsTheCentreByEachSelector() throws {
        let requests: [any Request] = [
            tapElement("login"), tapElement("row"), tapElement("row[2]"),
            make(TapByLabel.self) { $0.label = "Coffee" },
            make(TapWithType.self) { ($0.selector, $0.byLabel, $0.type) = ("Log in", true, "StaticText") },
            make(TapWithType.self) { ($0.selector, $0.type) = ("login", "Any") },
            make(TapCoord.self) { ($0.x, $0.y) = (10, -5) },
            tapElement("login", timeout: 1000), tapElement("login", timeout: 1), tapElement("login", timeout: .max),
        ]
        for request in requests { let _: OK = try ask(request) }
        XCTAssertEqual(
            stage.did,
            ["login", "row0", "row2", "row1", "login", "login", "coord", "login", "login", "login"].map {
                [
                    "login": "tap 70.0 120.0", "row0": "tap 195.0 225.0", "row1": "tap 195.0 275.0",
                    "row2": "tap 195.0 325.0", "coord": "tap 10.0 -5.0",
                ][$0]!
            })
    }

    func testRefusals() {
        for selector in ["Login", "login[1]", "row[3]", "row[99999999999999999999]", "row[]", "row[-1]", "row[0"] {
            XCTAssertEqual(fault(tapElement(selector))?.code, .notFound, selector)
        }
        XCTAssertEqual(fault(make(TapByLabel.self) { $0.label = "Shop" })?.code, .notFound)  // not its own descendant
        XCTAssertEqual(
            fault(make(TapWithType.self) { ($0.selector, $0.type) = ("login", "Cell") })?.code, .notFound)
        XCTAssertEqual(
            fault(make(TapWithType.self) { ($0.selector, $0.type) = ("login", "button") })?.code, .badRequest)
        XCTAssertEqual(stage.did, [])
    }

    // Layer 1: two polls in a row must agree.
    func testWaitsUntilTheElementRests() throws {
        stage.show = { Stage.moved(by: Double(max(0, 8 - $0))) }
        let _: OK = try ask(tapElement("login", timeout: 2000))
        XCTAssertEqual(stage.did, ["tap 70.0 120.0"])
    }

    // Layers 2 and 3: a plateau of an easing curve; two looks agree, the fresh one does not.
    func testIsNotFooledByAPlateau() throws {
        stage.show = { Stage.moved(by: $0 <= 2 ? 30 : 0) }
        let _: OK = try ask(tapElement("login", timeout: 2000))
        XCTAssertEqual(stage.did, ["tap 70.0 120.0"])
        XCTAssertEqual(stage.looks, 5)
    }

    func testLooksOnceMoreBeforeTheTap() throws {
        let _: OK = try ask(tapElement("login", timeout: 2000))
        XCTAssertEqual(stage.looks, 3)  // two polls, and the fresh look
        XCTAssertEqual(clock.now, 0.05, accuracy: 1e-9)
    }

    func testWithoutATimeoutThereIsOneTryAndNoWait() throws {
        stage.show = { Stage.moved(by: Double($0)) }
        let _: OK = try ask(tapElement("login"))
        XCTAssertEqual(stage.did, ["tap 70.0 121.0"])
        XCTAssertEqual((stage.looks, clock.now).0, 1)
        XCTAssertEqual(fault(tapElement("nothing"))?.code, .notFound)
        XCTAssertEqual(fault(tapElement("nothing", timeout: 0))?.code, .notFound)
        XCTAssertEqual((stage.looks, clock.now).0, 3)
        XCTAssertEqual(clock.now, 0)
    }

    func testAnElementWithoutAFrameIsNotHeldBack() throws {
        stage.show = { _ in
            var root = Stage.tree
            root.children[0].children[0].frame = .zero
            return root
        }
        let _: OK = try ask(tapElement("login", timeout: 1000))
        XCTAssertEqual(clock.now, 0)
    }

    func testTheLastReasonIsTheOneThatIsTold() {
        let cases: [(String, (Int) -> Node?, (Int) -> Bool, Code)] = [
            ("never there", { _ in Node("Application") }, { _ in true }, .notFound),
            ("moving", { Stage.moved(by: Double($0 % 50)) }, { _ in true }, .unstable),
            ("covered", { _ in Stage.tree }, { _ in false }, .notHittable),
            ("moving, then covered", { Stage.moved(by: Double($0)) }, { $0 < 30 }, .notHittable),
            ("not running", { _ in nil }, { _ in true }, .appNotRunning),
        ]
        for (name, show, hittable, code) in cases {
            (stage, clock) = (Stage(), ManualClock())
            (stage.show, stage.hittable) = (show, hittable)
            agent = Agent(surface: stage, clock: clock)
            _ = try? agent.answer(make(SetTarget.self) { $0.bundle = Stage.shop })
            XCTAssertEqual(fault(tapElement("login", timeout: 3000))?.code, code, name)
            XCTAssertEqual(stage.did, [], name)
            XCTAssertGreaterThanOrEqual(stage.looks, 60, "\(name): one look every 50 ms")
            XCTAssertEqual(clock.now, 3, accuracy: 0.051, name)
        }
    }

    func testWhatThePlatformThrewIsNeverTriedAgain() {
        struct Broken: Error, CustomStringConvertible { var description: String { "the glass broke" } }
        stage.show = { _ in throw Broken() }
        XCTAssertEqual(fault(tapElement("login", timeout: 3000)), AgentFault(.exception, "the glass broke"))
        XCTAssertEqual(stage.looks, 1)
        stage.show = { _ in Stage.tree }
        stage.fails = AgentFault(.exception, "stale element")
        XCTAssertEqual(fault(tapElement("login", timeout: 3000))?.message, "stale element")
        XCTAssertEqual(clock.now, 0.05, accuracy: 1e-9)
    }

    func testNobodyWaitsForAClientThatLeft() {
        agent.isAbandoned = { self.stage.looks >= 3 }
        XCTAssertEqual(fault(tapElement("nothing", timeout: 60_000))?.code, .notFound)
        XCTAssertEqual(stage.looks, 3)
    }
}
