import XCTest

@testable import AgentCore

/// Act: an input is sent to what it is aimed at, or not at all.
final class GuardTests: AgentTestCase {
    private var announced: [Int] = []

    override func setUp() {
        super.setUp()
        announced = []
        agent.announce = { [self] in announced.append(stage.looks) }
    }

    /// The button of the stage's app, as a client saw it.
    private var login: Aim {
        var aim = Aim()
        (aim.type, aim.identifier, aim.label) = ("Button", "login", "Log in")
        (aim.frame, aim.at) = (Rect(x: 20, y: 100, width: 100, height: 40), Point(x: 70, y: 120))
        return aim
    }

    private var tapLogin: TapCoord { make(TapCoord.self) { ($0.x, $0.y) = (70, 120) } }

    private func act(
        _ input: some Request, aim: Aim? = nil, app: String = Stage.shop, _ fill: (inout Act) -> Void = { _ in }
    ) throws -> Act {
        try make(Act.self) {
            ($0.app, $0.aim, $0.input) = (app, aim, try Codec.encode(input))
            ($0.terms.stableMS, $0.terms.minMS, $0.terms.maxMS, $0.terms.patienceMS) = (150, 200, 3000, 1000)
            fill(&$0)
        }
    }

    private func make(_: Act.Type, _ fill: (inout Act) throws -> Void) rethrows -> Act {
        var act = Act()
        try fill(&act)
        return act
    }

    func testATapWithAnEffectIsAnsweredWhenItIsStill() throws {
        stage.onTap = { [stage] _ in stage.show = { _ in Stage.moved(by: 5) } }
        let seen: Sight = try ask(try act(tapLogin, aim: login))
        XCTAssertEqual(stage.did, ["tap 70.0 120.0"])
        XCTAssertEqual(stage.through, [Stage.shop])
        XCTAssertTrue(seen.settled)
        XCTAssertEqual([seen.samples, seen.waitedMS], [3, 200])
        XCTAssertEqual(announced, [1], "after the look before the input, and before those after it")
    }

    func testNothingMovesAndFourReadsAreEnough() throws {
        let tap: Sight = try ask(try act(tapLogin, aim: login))
        XCTAssertEqual([tap.samples, tap.waitedMS], [4, 1000])
        let value = make(SetValue.self) { ($0.x, $0.y, $0.value) = (310, 410, "0") }
        let set: Sight = try ask(try act(value))
        XCTAssertEqual([set.samples, UInt32(stage.looks)], [4, 8], "the input finds it in the tree just read")
    }

    func testWithoutAnAimOrPatienceNothingIsReadBefore() throws {
        let seen: Sight = try ask(try act(tapLogin) { $0.terms = LookTerms() })
        XCTAssertEqual(seen.samples, 1)
        XCTAssertEqual(announced, [0])
    }

    func testRefusals() throws {
        func aimed(_ fill: (inout Aim) -> Void) -> Aim {
            var aim = login
            fill(&aim)
            return aim
        }
        let cases: [(String, Act, Code)] = [
            ("another app", try act(tapLogin, aim: login, app: "com.example.mail"), .notInFront),
            ("another label", try act(tapLogin, aim: aimed { $0.label = "Log out" }), .stale),
            ("another type", try act(tapLogin, aim: aimed { $0.type = "Cell" }), .stale),
            ("a second one", try act(tapLogin, aim: aimed { $0.rank = 1 }), .stale),
            ("moved", try act(tapLogin, aim: aimed { $0.frame.y += 1.5 }), .unstable),
            ("grown", try act(tapLogin, aim: aimed { $0.frame.width -= 2 }), .unstable),
            ("no number", try act(tapLogin, aim: aimed { $0.frame.x = .nan }), .unstable),
            ("beside it", try act(tapLogin, aim: aimed { $0.at.y = 97 }), .notHittable),
            ("off the screen", try act(tapLogin, aim: aimed { $0.at.x = -1 }), .notHittable),
            ("no input", try act(Look()), .badRequest),
            ("an act", try act(try act(tapLogin)), .badRequest),
            ("nonsense", try act(tapLogin) { $0.input = [0xee] }, .badRequest),
            ("nothing", try act(tapLogin) { $0.input = [] }, .badRequest),
            ("the input's own", try act(make(LongPress.self)), .badRequest),
        ]
        for (name, request, code) in cases { XCTAssertEqual(fault(request)?.code, code, name) }
        XCTAssertEqual(fault(cases[0].1)?.message, Stage.shop, "what is in front")
        XCTAssertEqual(stage.did, [])
        XCTAssertEqual(announced, [])
        let _: Sight = try ask(try act(tapLogin, aim: aimed { $0.frame.y += 1 }))  // a point is fine
    }

    func testARankCountsWhatTheClientSees() throws {
        var row = Aim()
        (row.type, row.identifier, row.label) = ("Cell", "row", "Tea")
        (row.frame, row.rank) = (Rect(y: 250, width: 390, height: 50), 1)
        row.at = row.frame.centre
        stage.show = { _ in
            var root = Stage.tree
            root.children[0].children[3].label = "Tea"  // the second of three rows
            return root
        }
        let _: Sight = try ask(try act(tapLogin, aim: row))
        row.frame.y = 200
        XCTAssertEqual(fault(try act(tapLogin, aim: row))?.code, .unstable)
    }

    func testWhatIsDrawnOverItIsInTheWay() throws {
        stage.show = { _ in
            var root = Stage.tree
            root.children[0].children.append(Node("Other", label: "Offer", frame: Rect(width: 390, height: 300)))
            return root
        }
        XCTAssertEqual(fault(try act(tapLogin, aim: login))?.code, .notHittable)
        XCTAssertEqual(stage.did, [])
        stage.reachable = [Place(type: "Button", index: 0)]
        let _: Sight = try ask(try act(tapLogin, aim: login))
        XCTAssertEqual(stage.asked.count, 2, "the platform knows what is drawn on top")
    }

    /// As Apple's Settings are: the navigation bar comes before a table that is as large as the screen, and the table's
    /// scroll bars after its cells.
    private var settings: Node {
        let screen = Rect(width: 390, height: 844)
        func row(_ n: Int) -> Node {
            let frame = Rect(y: 30 + Double(n) * 44, width: 390, height: 44)
            let more = Node("Button", label: "More \(n)", frame: Rect(x: 350, y: frame.y, width: 40, height: 44))
            return Node("Cell", label: "Row \(n)", frame: frame, children: [more])
        }
        let bar = Rect(x: 360, width: 30, height: 844)
        let scrollBar = Node("Other", label: "Vertical scroll bar, 2 pages", value: "0%", frame: bar)
        let table = Node("Table", frame: screen, children: (0..<9).map(row) + [scrollBar])
        let back = Node("Button", label: "Back", frame: Rect(y: 47, width: 90, height: 44))
        let top = Node("NavigationBar", identifier: "Top", frame: Rect(y: 47, width: 390, height: 44), children: [back])
        let page = Node("Other", frame: screen, children: [top, Node("Other", frame: screen, children: [table])])
        let window = Node("Window", frame: screen, children: [page])
        return Node("Application", label: "Shop", frame: screen, children: [window])
    }

    func testBarsAreOverTheContentAndScrollBarsAreNot() throws {
        stage.show = { [settings] _ in settings }
        func aim(_ label: String, _ frame: Rect) throws -> Act {
            var aim = Aim()
            (aim.type, aim.label, aim.frame, aim.at) = ("Button", label, frame, frame.centre)
            return try act(tapLogin, aim: aim)
        }
        let _: Sight = try ask(try aim("Back", Rect(y: 47, width: 90, height: 44)))
        let _: Sight = try ask(try aim("More 4", Rect(x: 350, y: 206, width: 40, height: 44)))
        XCTAssertEqual(stage.asked, [], "the tree leaves no doubt")
        let scrolled = Rect(x: 350, y: 30, width: 40, height: 44)  // its middle is under the bar
        XCTAssertEqual(fault(try aim("More 0", scrolled))?.code, .notHittable)
    }

    // MARK: Other apps

    func testTheInputGoesThroughTheAppInFront() throws {
        let mail = "com.example.mail"
        stage.states = [Stage.shop: .suspended, mail: .runningForeground]
        stage.others[mail] = Stage.tree
        let seen: Sight = try ask(try act(tapLogin, aim: login, app: mail))
        XCTAssertEqual([seen.front] + stage.through, [mail, mail])
        XCTAssertEqual(agent.target, Stage.shop, "the target stays")
        XCTAssertEqual(fault(try act(tapLogin, aim: login)), AgentFault(.notInFront, ""), "nobody knows what is")
        stage.home = true
        XCTAssertEqual(fault(try act(tapLogin, aim: login)), AgentFault(.notInFront, Agent.springboard))
    }

    func testAButtonOfTheDeviceNeedsNoApp() throws {
        stage.states = [:]
        let home = make(Button.self) { $0.name = "home" }
        let seen: Sight = try ask(try act(home, app: ""))
        XCTAssertEqual(stage.did, ["button home"])
        XCTAssertEqual(seen.front, "")
    }

    func testTheAppThatComesToTheFrontIsLookedAt() throws {
        stage.others[Agent.springboard] = Node("Application", label: "Home", frame: Rect(width: 390, height: 844))
        stage.onTap = { [stage] _ in (stage.states[Stage.shop], stage.home) = (.notRunning, true) }
        let seen: Sight = try ask(try act(tapLogin, aim: login))
        XCTAssertEqual(seen.front, Agent.springboard)
        XCTAssertEqual(seen.samples, 3)
    }

    // MARK: What lies over the app

    func testABannerIsInTheWayOfWhatIsUnderIt() throws {
        let frame = Rect(x: 8, y: 50, width: 374, height: 80)
        stage.notice = Node("Other", identifier: "NotificationShortLookView", label: "Hi", frame: frame)
        XCTAssertEqual(fault(try act(tapLogin, aim: login))?.code, .notHittable)
        var row = Aim()
        (row.type, row.identifier, row.label) = ("Cell", "row", "Tea")
        (row.frame, row.at) = (Rect(y: 200, width: 390, height: 50), Point(x: 100, y: 225))
        let _: Sight = try ask(try act(tapLogin, aim: row))
        var banner = Aim()
        (banner.type, banner.identifier, banner.label) = ("Other", "NotificationShortLookView", "Hi")
        (banner.frame, banner.at) = (frame, frame.centre)
        let _: Sight = try ask(try act(tapLogin, aim: banner))
        XCTAssertEqual(stage.through, [Stage.shop, Agent.springboard])
    }

    func testAnAlertIsInTheWayOfEverything() throws {
        let allow = Node("Button", label: "Allow", frame: Rect(x: 60, y: 400, width: 270, height: 50))
        stage.systemAlerts = [
            Node("Alert", label: "Allow?", frame: Rect(x: 60, y: 300, width: 270, height: 200), children: [allow])
        ]
        XCTAssertEqual(fault(try act(tapLogin, aim: login))?.code, .notHittable)
        var button = Aim()
        (button.type, button.label, button.frame, button.at) = ("Button", "Allow", allow.frame, allow.frame.centre)
        let _: Sight = try ask(try act(tapLogin, aim: button))
        XCTAssertEqual(stage.through, [Agent.springboard])
    }

    // MARK: What was sent

    func testAnInputThatFailsIsNotAnnounced() throws {
        stage.fails = AgentFault(.exception, "it broke")
        XCTAssertEqual(fault(try act(tapLogin, aim: login))?.message, "it broke")
        XCTAssertEqual(announced, [])
    }

    func testALookThatFailsComesAfterTheAnnouncement() throws {
        stage.onTap = { [stage] _ in stage.show = { _ in throw AgentFault(.exception, "no tree") } }
        XCTAssertEqual(fault(try act(tapLogin, aim: login))?.message, "no tree")
        XCTAssertEqual(announced, [1])
        XCTAssertEqual(stage.did.count, 1)
    }
}
