import XCTest

@testable import AgentCore

final class LookTests: AgentTestCase {
    /// Reads JSON with somebody else's reader.
    private func parse(_ json: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    }

    func testDumpPrunesScaffoldingAndTellsWhatIsUnusual() throws {
        let dump: TreeResponse = try ask(DumpTree())
        let roots = try XCTUnwrap(try parse(dump.json) as? [[String: Any]])
        let window = try XCTUnwrap((roots[0]["children"] as? [[String: Any]])?[0])
        let children = try XCTUnwrap(window["children"] as? [[String: Any]])
        XCTAssertEqual(children.count, 6, "empty scaffolding is pruned")
        let (login, field, news) = (children[0], children[1], children[5])
        XCTAssertEqual(field["AXValue"] as? String, "a@b.c")
        XCTAssertEqual(field["placeholder"] as? String, "you@example.com")
        XCTAssertEqual(news["enabled"] as? Bool, false)
        XCTAssertEqual(news["selected"] as? Bool, true)
        for key in ["AXValue", "enabled", "selected", "focused", "hittable", "role", "secure"] {
            XCTAssertNil(login[key], key)
        }
        XCTAssertEqual((login["frame"] as? [String: Double])?["height"], 40)
        XCTAssertEqual(dump.truncated, 0)
    }

    func testPruningIsBottomUp() {
        func kept(_ node: Node) -> Bool { !Trimmer.trees([node], Limits()).roots.isEmpty }
        let area = Rect(width: 1, height: 1)
        XCTAssertFalse(kept(Node("Other", frame: Rect(x: 5, y: 5, width: 10), children: [Node("Other")])))
        XCTAssertTrue(kept(Node("Other", frame: area)))
        XCTAssertTrue(kept(Node("Other", identifier: "a")))
        XCTAssertTrue(kept(Node("Other", label: "a")))
        XCTAssertTrue(kept(Node("Other", value: "a")))
        XCTAssertTrue(kept(Node("Other", children: [Node("Other", children: [Node("Other", frame: area)])])))
    }

    func testAScreenWithNothingOnItIsEmpty() throws {
        stage.show = { _ in Node("Application") }
        XCTAssertEqual(try (ask(DumpTree()) as TreeResponse).json, "[]")
    }

    func testLimitsAreCountedAndCanBeSet() throws {
        var deep = Node("Other", label: "x")
        for _ in 0..<39 { deep = Node("Other", label: "x", children: [deep]) }
        let wide = Node("Other", label: "x", children: Array(repeating: Node("Cell", label: "c"), count: 6000))
        let cases: [(Node, UInt32, UInt32, UInt32)] = [
            (deep, 30, 0, 10), (deep, 40, 0, 0), (deep, 1, 0, 39),
            (wide, 0, 0, 1001), (wide, 4_000_000_000, 10_000, 0), (wide, 0, 1, 6000),
        ]
        for (root, depth, nodes, left) in cases {
            stage.show = { _ in root }
            let seen: Sight = try ask(make(Look.self) { ($0.terms.maxDepth, $0.terms.maxNodes) = (depth, nodes) })
            XCTAssertEqual(seen.truncated, left)
        }
        for (root, left) in [(deep, 10), (wide, 1001)] as [(Node, UInt32)] {
            stage.show = { _ in root }
            XCTAssertEqual(try (ask(DumpTree()) as TreeResponse).truncated, left)
        }
        options.limits = Limits(depth: 2, nodes: 100)
        agent = Agent(surface: stage, clock: clock, options: options)
        let _: OK = try ask(make(SetTarget.self) { $0.bundle = Stage.shop })
        XCTAssertEqual(try (ask(DumpTree()) as TreeResponse).truncated, 5901)
    }

    func testFindElement() throws {
        func find(_ selector: String, byLabel: Bool = false, type: String? = nil) throws -> [String: Any]? {
            let found: Found = try ask(
                make(FindElement.self) { ($0.selector, $0.byLabel, $0.type) = (selector, byLabel, type) })
            return try parse(found.json) as? [String: Any]
        }
        XCTAssertEqual(try find("email")?["type"] as? String, "TextField")
        XCTAssertEqual(try find("Log in", byLabel: true)?["type"] as? String, "Button")
        XCTAssertEqual(try find("Log in[1]", byLabel: true)?["type"] as? String, "StaticText")
        XCTAssertEqual(try find("Log in", byLabel: true, type: "StaticText")?["type"] as? String, "StaticText")
        XCTAssertEqual(try find("email", type: "Nonsense")?["type"] as? String, "TextField")
        XCTAssertNil(try find("nothing"))
        let login = try XCTUnwrap(try find("login"))
        XCTAssertEqual(login["hittable"] as? Bool, true)
        XCTAssertNil((login["children"] as? [[String: Any]])?[0]["hittable"], "only the top element was asked")
        stage.hittable = { _ in false }
        XCTAssertEqual(try find("login")?["hittable"] as? Bool, false)
        let _: OK = try ask(make(SetTarget.self) { $0.bundle = "com.example.gone" })
        XCTAssertNil(try find("login"), "no app, no element, no fault")
    }

    func testGetValueIsTheValueElseTheLabelElseNothing() throws {
        func value(_ selector: String) throws -> String? {
            try (ask(make(GetValue.self) { ($0.selector, $0.type) = (selector, "Nonsense") }) as Value).text
        }
        XCTAssertEqual(try value("email"), "a@b.c")
        XCTAssertEqual(try value("login"), "Log in")
        XCTAssertNil(try value("news"))
        XCTAssertEqual(
            fault(make(GetValue.self) { ($0.selector, $0.type) = ("email", "Button") })?.code, .notFound)
        stage.show = { $0 < 9 ? nil : Stage.tree }
        let late: Value = try ask(make(GetValue.self) { ($0.selector, $0.timeoutMS) = ("email", 1000) })
        XCTAssertEqual(late.text, "a@b.c")
    }

    func testValuesThatAreNoTextAreNotLost() {
        XCTAssertEqual(elementValue("x"), "x")
        XCTAssertEqual(elementValue(nil), "")
        XCTAssertEqual(elementValue(NSNull()), "")
        XCTAssertEqual(elementValue(1), "1")
        XCTAssertEqual(elementValue(0.5), "0.5")
        XCTAssertEqual(elementValue(NSNumber(value: 1)), "1")
        XCTAssertEqual(elementValue(true), "1")
        XCTAssertEqual(elementValue(NSNumber(value: false)), "0")
    }

    func testJSONOfOddTextAndFrames() throws {
        let odd = Node(
            "Other", identifier: "a\"\\\n\u{1}\u{2028}", label: "é🙂",
            frame: Rect(x: .infinity, y: .nan, width: 1e-7, height: 1e20))
        let back = try XCTUnwrap(try parse(JSON.element(odd)) as? [String: Any])
        XCTAssertEqual(back["AXUniqueId"] as? String, odd.identifier)
        XCTAssertEqual(back["AXLabel"] as? String, odd.label)
        XCTAssertEqual(back["frame"] as? [String: Double], ["x": 0, "y": 0, "width": 1e-7, "height": 1e20])
    }

    func testSelectorGrammar() {
        for (selector, base, index) in [
            ("a", "a", 0), ("a[3]", "a", 3), ("a[0][12]", "a[0]", 12), ("[7]", "", 7), ("a[]", "a[]", 0),
            ("a[x]", "a[x]", 0), ("a[-1]", "a[-1]", 0), ("a[1", "a[1", 0), ("a]", "a]", 0),
            ("a[\u{663}]", "a[\u{663}]", 0),
            ("a[99999999999999999999]", "a", Int.max),
        ] {
            XCTAssertEqual(Query(selector).base, base, selector)
            XCTAssertEqual(Query(selector).index, index, selector)
        }
        let composed = Node("Other", identifier: "\u{e9}")
        XCTAssertFalse(Query("e\u{301}").matches(composed), "exact, code point by code point")
    }

    func testTypeNamesAreXCTests() {
        // The numbers are those of XCUIElement.ElementType.
        for (name, number) in [
            ("Any", 0), ("Other", 1), ("Application", 2), ("Alert", 7), ("Button", 9), ("Switch", 40),
            ("StaticText", 48), ("TextField", 49), ("SecureTextField", 50), ("Cell", 75), ("Stepper", 79),
            ("StatusItem", 82),
        ] as [(String, UInt)] {
            XCTAssertEqual(ElementType.number(of: name), number, name)
            XCTAssertEqual(ElementType.name(of: number), name)
        }
        XCTAssertNil(ElementType.number(of: "button"))
        XCTAssertEqual(ElementType.name(of: 83), "Unknown")
    }

    func testAnAppThatDoesNotRun() throws {
        let _: OK = try ask(make(SetTarget.self) { $0.bundle = "com.example.gone" })
        let seen: Sight = try ask(Look())
        XCTAssertEqual([seen.json, seen.state], ["[]", "not_running"])
        XCTAssertEqual(fault(DumpTree())?.code, .appNotRunning)
        XCTAssertEqual(fault(tapElement("login"))?.code, .appNotRunning)
    }

    func testTarget() throws {
        agent = Agent(surface: stage, clock: clock)
        XCTAssertTrue(try (ask(GetTargetInfo()) as TargetInfo).json.contains("com.apple.springboard"))
        let _: OK = try ask(make(SetTarget.self) { $0.bundle = Stage.shop })
        let info = try parse(try (ask(GetTargetInfo()) as TargetInfo).json) as? [String: String]
        XCTAssertEqual(
            info,
            [
                "bundle_id": Stage.shop, "display_name": "Shop", "version": "1.2", "build": "34",
                "state": "running_foreground",
            ])
    }

    // MARK: Alerts of the system

    /// A question of SpringBoard over the app.
    private func ask() {
        let button = Node("Button", label: "Allow", frame: Rect(x: 60, y: 400, width: 270, height: 50))
        stage.systemAlerts = [Node("Alert", label: "Allow?", frame: Rect(width: 390, height: 844), children: [button])]
    }

    func testTheSystemsAlertIsASecondRoot() throws {
        ask()
        let seen: Sight = try ask(Look())
        let dump: TreeResponse = try ask(DumpTree())
        for json in [seen.json, dump.json] {
            let roots = try XCTUnwrap(try parse(json) as? [[String: Any]])
            XCTAssertEqual(roots.map { $0["AXLabel"] as? String }, ["Shop", " "])
            let alert = (roots[1]["children"] as? [[String: Any]])?.first
            XCTAssertEqual(alert?["type"] as? String, "Alert")
        }
    }

    func testSpringBoardIsLookedAtOnlyWhenItAsks() throws {
        let _: Sight = try ask(make(Look.self) { ($0.terms.stableMS, $0.terms.maxMS) = (100, 1000) })
        let _: TreeResponse = try ask(DumpTree())
        let _: OK = try ask(tapElement("login"))
        XCTAssertEqual(stage.looksAtAlerts, 0)
        ask()
        let _: TreeResponse = try ask(DumpTree())
        XCTAssertEqual(stage.looksAtAlerts, 1)
        let _: OK = try ask(make(SetTarget.self) { $0.bundle = Agent.springboard })
        _ = fault(DumpTree())  // its own tree has the alert already
        XCTAssertEqual(stage.looksAtAlerts, 1)
    }

    func testWhatIsUnderTheAlertIsThereButOutOfReach() throws {
        ask()
        let login: Found = try ask(make(FindElement.self) { $0.selector = "login" })
        XCTAssertEqual((try parse(login.json) as? [String: Any])?["hittable"] as? Bool, false)
        XCTAssertEqual(fault(tapElement("login"))?.code, .notHittable)
        XCTAssertEqual(fault(tapElement("login", timeout: 200))?.code, .notHittable)
        let allow: Found = try ask(make(FindElement.self) { ($0.selector, $0.byLabel) = ("Allow", true) })
        XCTAssertEqual((try parse(allow.json) as? [String: Any])?["hittable"] as? Bool, true)
        let tap = make(TapByLabel.self) { ($0.label, $0.timeoutMS) = ("Allow", 500) }
        let _: OK = try ask(tap)
        XCTAssertEqual(stage.did, ["tap 195.0 425.0"])
        XCTAssertEqual(stage.through, [Agent.springboard])
    }

    func testAnIndexCountsOverBothTrees() throws {
        ask()
        stage.systemAlerts[0].children[0].identifier = "row"  // the app has three of them
        func label(_ n: Int) throws -> String? {
            try (ask(make(GetValue.self) { $0.selector = "row[\(n)]" }) as Value).text
        }
        XCTAssertEqual(try [0, 2, 3].map(label), ["Tea", "Milk", "Allow"])
        XCTAssertEqual(fault(make(GetValue.self) { $0.selector = "row[4]" })?.code, .notFound)
    }

    func testAFingerMeetsTheAlertNotTheApp() throws {
        ask()
        let _: OK = try ask(make(TapCoord.self) { ($0.x, $0.y) = (1, 2) })
        let _: OK = try ask(make(DoubleTap.self) { ($0.x, $0.y) = (1, 2) })
        let _: OK = try ask(make(LongPress.self) { $0.seconds = 1 })
        let _: OK = try ask(make(Swipe.self) { $0.endX = 50 })
        let _: OK = try ask(make(Drag.self) { $0.endX = 50 })
        XCTAssertEqual(stage.through, Array(repeating: Agent.springboard, count: 5))
        XCTAssertEqual(fault(make(SetValue.self) { ($0.x, $0.y, $0.value) = (310, 410, "1") })?.code, .unsupported)
    }
}
