import XCTest

@testable import AgentCore

/// Look: which app is in front, what it shows, and how long that is waited for.
final class FrontTests: AgentTestCase {
    private let mail = "com.example.mail"
    private let mailTree = Node("Application", label: "Mail", frame: Rect(width: 390, height: 844))
    private let homeTree = Node("Application", label: "Home", frame: Rect(width: 390, height: 844))

    private func look(candidates: String = "", unlike: String = "", _ fill: (inout LookTerms) -> Void = { _ in }) throws
        -> Sight
    {
        try ask(
            make(Look.self) {
                ($0.candidates, $0.unlike) = (candidates, unlike)
                fill(&$0.terms)
            })
    }

    // MARK: Who is in front

    func testTheTargetIsInFront() throws {
        let seen = try look()
        XCTAssertEqual([seen.front, seen.state, seen.cover], [Stage.shop, "running_foreground", ""])
        XCTAssertEqual(seen.digest, Sight.digest(front: seen.front, cover: "", json: seen.json))
        XCTAssertTrue(seen.json.contains("login") && seen.settled)
        XCTAssertEqual([seen.samples, seen.waitedMS], [1, 0])
    }

    func testTheHomeScreenIsInFrontWhenTheTargetIsNot() throws {
        stage.states[Stage.shop] = .runningBackground
        (stage.home, stage.others[Agent.springboard]) = (true, homeTree)
        stage.states[Agent.springboard] = .runningForeground
        let seen = try look()
        XCTAssertEqual([seen.front, seen.state], [Agent.springboard, "running_foreground"])
        XCTAssertTrue(seen.json.contains("Home"))
        XCTAssertEqual(stage.looks, 0, "the target is not read")
    }

    func testCandidatesAreAskedWhenNeitherIs() throws {
        stage.states = [Stage.shop: .suspended, Agent.springboard: .runningForeground, mail: .runningForeground]
        stage.others = [mail: mailTree, Agent.springboard: homeTree]
        let unknown = try look()
        XCTAssertEqual([unknown.front, unknown.state, unknown.json], ["", "suspended", "[]"])
        XCTAssertEqual(unknown.samples, 0, "nothing is read")
        let found = try look(candidates: "\(Agent.springboard)\ncom.example.gone\n\(mail)\n")
        XCTAssertEqual(found.front, mail)
        XCTAssertTrue(found.json.contains("Mail"))
        XCTAssertEqual(try look(candidates: "com.example.gone").front, Agent.springboard)
    }

    func testSpringBoardsOwnStateSaysNothing() throws {
        agent = Agent(surface: stage, clock: clock)  // its target is SpringBoard
        stage.states[Agent.springboard] = .runningForeground
        XCTAssertEqual(try look().front, "")
        XCTAssertEqual(try look(candidates: Stage.shop).front, Stage.shop)
    }

    func testAnAppThatLeavesTheFrontWhileItIsReadIsNotIt() throws {
        stage.others[Agent.springboard] = homeTree
        stage.show = { [stage] _ in
            (stage.states[Stage.shop], stage.home) = (.notRunning, true)
            return nil
        }
        XCTAssertEqual(try look().front, Agent.springboard)
    }

    func testTheAgentDoesNotReadItself() throws {
        options.bundle = mail
        stage.states = [mail: .runningForeground]
        stage.others = [mail: mailTree, Agent.springboard: homeTree]
        XCTAssertEqual(try look(candidates: mail).front, Agent.springboard)
        let _: OK = try ask(make(SetTarget.self) { $0.bundle = mail })
        XCTAssertEqual(fault(DumpTree())?.code, .appNotRunning)
    }

    func testBetweenTwoAppsNobodyIsInFrontForAMoment() throws {
        (stage.states[Stage.shop], stage.others[Agent.springboard]) = (.runningBackground, homeTree)
        stage.onHome = { [clock] in clock.now > 0.1 }
        let seen = try look { ($0.stableMS, $0.maxMS) = (150, 3000) }
        XCTAssertEqual(seen.front, Agent.springboard)
        XCTAssertEqual(seen.waitedMS, 300)
    }

    /// The stage fails the test if the app is used.
    func testNothingReadsAnAppBehindAnother() throws {
        for state in [AppState.runningBackground, .suspended] {
            stage.states[Stage.shop] = state
            let info: TargetInfo = try ask(GetTargetInfo())
            XCTAssertTrue(info.json.contains(state.rawValue))
            let refused: [(any Request, Code)] = [
                (DumpTree(), .appNotRunning), (make(Pinch.self) { $0.scale = 2 }, .appNotRunning),
                (SetValue(), .appNotRunning), (make(GetValue.self) { $0.selector = "login" }, .appNotRunning),
                (make(TypeText.self) { $0.text = "x" }, .noFocus), (Clear(), .noFocus),
                (make(Key.self) { $0.name = "up" }, .noFocus), (tapElement("login"), .notHittable),
            ]
            for (request, code) in refused { XCTAssertEqual(fault(request)?.code, code, "\(request)") }
            XCTAssertEqual(try (ask(make(FindElement.self) { $0.selector = "login" }) as Found).json, "null")
            XCTAssertEqual(try (ask(Alert()) as AlertState).json, "null")
            XCTAssertEqual(try look().front, "")
        }
        XCTAssertEqual(stage.did, [])
    }

    func testAFingerOnTheScreenDoesNotWaitForAnAppBehindAnother() throws {
        stage.states[Stage.shop] = .suspended
        let _: OK = try ask(make(TapCoord.self) { ($0.x, $0.y) = (1, 2) })
        let _: OK = try ask(make(Swipe.self) { $0.endX = 9 })
        XCTAssertEqual(stage.through, [Agent.springboard, Agent.springboard])
    }

    // MARK: What lies over it

    func testABannerIsTheSecondRoot() throws {
        stage.notice = Node(
            "Other", identifier: "NotificationShortLookView", label: "Hi", frame: Rect(y: 50, width: 390, height: 80))
        let seen = try look()
        XCTAssertEqual([seen.front, seen.cover], [Stage.shop, Agent.springboard])
        XCTAssertTrue(seen.json.contains("NotificationShortLookView"))
        stage.systemAlerts = [Node("Alert", label: "Allow?", frame: Rect(width: 390, height: 844))]
        let asked = try look()
        XCTAssertTrue(asked.json.contains("Allow?") && !asked.json.contains("NotificationShortLookView"))
        XCTAssertNotEqual(asked.digest, seen.digest)
    }

    // MARK: How long

    func testItLooksAsOftenAsItMustAndNotMore() throws {
        let still = try look { ($0.stableMS, $0.maxMS) = (150, 3000) }
        XCTAssertEqual([still.samples, still.waitedMS], [2, 150])
        let least = try look { ($0.stableMS, $0.minMS, $0.maxMS) = (150, 700, 3000) }
        XCTAssertEqual([least.samples, least.waitedMS], [2, 700])
        stage.show = { Stage.moved(by: Double($0 % 7)) }
        let moving = try look { ($0.stableMS, $0.maxMS) = (300, 1020) }
        XCTAssertFalse(moving.settled)
        XCTAssertEqual([moving.samples, moving.waitedMS], [5, 1020])
    }

    func testAChangeIsWaitedFor() throws {
        let before = try look()
        let same = try look(unlike: before.digest) { ($0.stableMS, $0.maxMS, $0.patienceMS) = (150, 500, 2500) }
        XCTAssertTrue(same.settled)
        XCTAssertEqual([same.samples, same.waitedMS], [5, 2500])  // once a second while nothing changes
        let other = try look(unlike: "x") { ($0.stableMS, $0.maxMS, $0.patienceMS) = (150, 500, 2500) }
        XCTAssertEqual([other.samples, other.waitedMS], [2, 150])
    }

    func testALateChangeHasItsOwnTimeToComeToRest() throws {
        let before = try look()
        let start = clock.now
        stage.show = { [clock] _ in Stage.moved(by: min(3, max(0, ((clock.now - start - 2) * 10).rounded()))) }
        let seen = try look(unlike: before.digest) { ($0.stableMS, $0.maxMS, $0.patienceMS) = (150, 500, 10_000) }
        XCTAssertTrue(seen.settled)
        XCTAssertNotEqual(seen.digest, before.digest)
        XCTAssertLessThan(seen.waitedMS, 3500)
        XCTAssertGreaterThan(seen.waitedMS, 2000)
    }

    func testNobodyLooksForAClientThatLeft() throws {
        agent.isAbandoned = { self.stage.looks >= 2 }
        let seen = try look { ($0.stableMS, $0.maxMS) = (60_000, 120_000) }
        XCTAssertEqual(seen.samples, 2)
    }

    // MARK: How deep

    private func nested(_ depth: Int, label: String) -> Node {
        let area = Rect(width: 9, height: 9)
        var node = Node("Button", label: "deep", frame: area)
        for _ in 0..<depth { node = Node("Other", label: label, frame: area, children: [node]) }
        return Node("Application", frame: area, children: [node])
    }

    func testContainersOfOneChildDoNotCount() throws {
        let cases: [(Node, UInt32, UInt32, UInt32)] = [
            (nested(300, label: ""), 0, 0, 0), (nested(70, label: "x"), 0, 0, 12), (nested(70, label: "x"), 100, 0, 0),
            (nested(300, label: ""), 0, 100, 202), (nested(300, label: ""), 1, 0, 301),
            (nested(5000, label: ""), 0, 9999, 4002),
        ]
        for (root, depth, nodes, left) in cases {
            stage.show = { _ in root }
            let seen = try look { ($0.maxDepth, $0.maxNodes) = (depth, nodes) }
            XCTAssertEqual(seen.truncated, left)
        }
        stage.show = { _ in self.nested(40, label: "") }
        XCTAssertEqual(try (ask(DumpTree()) as TreeResponse).truncated, 12, "as before")
    }

    func testATreeThatIsTooDeepIsReadInParts() throws {
        let deep = nested(100, label: "x")
        stage.levels = 62
        stage.show = { _ in deep }
        stage.others[Stage.shop] = deep
        let seen = try look { $0.maxDepth = 200 }
        XCTAssertTrue(seen.json.contains("deep"))
        XCTAssertEqual([seen.truncated, seen.samples], [0, 1])
        XCTAssertEqual(stage.partsRead, 40)  // the root and 39 more are read alone, the rest at once
    }

    func testWhatThereAreTooManyPartsForIsCounted() throws {
        var wide = nested(100, label: "x")
        wide.children += (0..<200).map { Node("Cell", label: "\($0)") }
        stage.levels = 62
        stage.show = { [wide] _ in wide }
        stage.others[Stage.shop] = wide
        let seen = try look { $0.maxDepth = 200 }
        XCTAssertEqual(stage.partsRead, Parts.most)
        XCTAssertEqual(seen.truncated, UInt32(200 - (Parts.most - 40)))
    }

    func testASurfaceThatCannotReadPartsSaysSo() {
        stage.levels = 3
        stage.show = { _ in self.nested(5, label: "x") }
        XCTAssertEqual(fault(Look())?.code, .exception)
    }
}
