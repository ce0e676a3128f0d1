import XCTest

@testable import AgentCore

final class InputTests: AgentTestCase {
    // MARK: Gestures

    func testDragRestsMovesAndRests() throws {
        func drag(_ fill: (inout Drag) -> Void) -> Drag { make(Drag.self, fill) }
        let _: OK = try ask(drag { ($0.endY, $0.pressSeconds, $0.velocity, $0.holdSeconds) = (100, 0.5, 50, 0.1) })
        let _: OK = try ask(drag { $0.endY = 100 })
        let _: OK = try ask(drag { ($0.startX, $0.endX, $0.pressSeconds, $0.holdSeconds) = (9, 9, 1, 2) })
        XCTAssertEqual(
            stage.did,
            ["drag 0.0 0.0 0.0 100.0 0.5 v50.0 0.1", "drag 0.0 0.0 0.0 100.0 0.05 v0.0 0.0", "press 9.0 0.0 3.0"])
        for seconds in [-1, .nan, .infinity, 3601] {
            XCTAssertEqual(fault(drag { ($0.endX, $0.pressSeconds) = (5, seconds) })?.code, .badRequest)
            XCTAssertEqual(fault(drag { ($0.endX, $0.holdSeconds) = (5, seconds) })?.code, .badRequest)
        }
        for velocity in [-1, .nan, 1e-9] {
            XCTAssertEqual(fault(drag { ($0.endX, $0.velocity) = (5, velocity) })?.code, .badRequest)
        }
        XCTAssertEqual(stage.did.count, 3)
    }

    func testPinchTakesTheInnermostElementWithRoom() throws {
        func pinch(_ scale: Double, velocity: Double = 0, at point: (Int32, Int32) = (60, 225)) -> Pinch {
            make(Pinch.self) { ($0.x, $0.y, $0.scale, $0.velocity) = (point.0, point.1, scale, velocity) }
        }
        let _: OK = try ask(pinch(2))
        let _: OK = try ask(pinch(0.5, velocity: 3, at: (310, 310)))
        let _: OK = try ask(pinch(1.5, at: (50, 115)))  // the button is too small: two fingers go beside it
        let _: OK = try ask(pinch(2, at: (-5, -5)))
        XCTAssertEqual(
            stage.did,
            ["pinch Cell[0] 2.0 v2.0", "pinch Cell[2] 0.5 v-3.0", "pinch Window[0] 1.5 v1.0", "pinch app 2.0 v2.0"])
        for scale in [0, -1, 1, .nan, .infinity] { XCTAssertEqual(fault(pinch(scale))?.code, .badRequest) }
        for velocity in [-1, .nan, .infinity] {
            XCTAssertEqual(fault(pinch(2, velocity: velocity))?.code, .badRequest)
        }
        let _: OK = try ask(make(SetTarget.self) { $0.bundle = "com.example.gone" })
        XCTAssertEqual(fault(pinch(2))?.code, .appNotRunning)
    }

    // MARK: Controls

    /// A screen of two elements of a type; the point 50, 50 is in the second.
    private func only(_ type: String, _ value: String) {
        stage.show = { _ in
            let above = Node(type, value: value, frame: Rect(width: 100, height: 20))
            let text = Node("StaticText", label: value, frame: Rect(y: 40, width: 100, height: 20))
            let it = Node(type, value: value, frame: Rect(y: 40, width: 100, height: 20), children: [text])
            return Node("Application", children: [Node("Other", children: [above, it])])
        }
    }

    private func value(_ text: String) -> SetValue {
        make(SetValue.self) { ($0.x, $0.y, $0.value) = (50, 50, text) }
    }

    func testSetValue() throws {
        only("Slider", "50%")
        for text in ["0.25", "25%", "0", "100%"] { let _: OK = try ask(value(text)) }
        for text in ["150%", "-1", "1.01", "loud", "", "nan"] {
            XCTAssertEqual(fault(value(text))?.code, .unsupported, text)
        }
        only("PickerWheel", "Red")
        stage.rows = ["Red", "Green"]
        let _: OK = try ask(value("Green"))
        XCTAssertEqual(fault(value("Mauve"))?.code, .exception, "it was turned")
        only("Switch", "1")
        let _: OK = try ask(value("1"))  // it is already
        let _: OK = try ask(value("0"))
        XCTAssertEqual(fault(value("on"))?.code, .unsupported)
        XCTAssertEqual(
            stage.did,
            [
                "Slider[1] 0.25", "Slider[1] 0.25", "Slider[1] 0.0", "Slider[1] 1.0", "PickerWheel[1] Green",
                "tap 70.0 50.0",
            ])
        for type in ["StaticText", "TextField", "Stepper"] {
            only(type, "x")
            XCTAssertEqual(fault(value("1"))?.code, .unsupported, type)
        }
    }

    func testAWheelThatFailedButShowsTheRowIsThere() throws {
        only("PickerWheel", "Green")
        let _: OK = try ask(value("Green"))
        stage.show = { _ in nil }
        XCTAssertEqual(fault(value("Green"))?.code, .appNotRunning)
    }

    func testAnAppThatEndsWhileAWheelTurnsIsAnException() {
        only("PickerWheel", "Green")
        let wheel = stage.show
        stage.show = { $0 == 1 ? try wheel($0) : nil }
        XCTAssertEqual(fault(value("Red"))?.code, .exception)
    }

    func testTheInnermostVisibleControlTakesTheValue() throws {
        let inner = Node("Slider", frame: Rect(y: 40, width: 100, height: 20))
        let hidden = Node("Slider", frame: Rect(y: 40, width: 100, height: 20))
        let list = Node("Table", frame: Rect(y: 500, width: 100, height: 100), children: [hidden])
        stage.show = { _ in
            Node(
                "Application",
                children: [Node("Slider", frame: Rect(width: 100, height: 100), children: [inner]), list])
        }
        let _: OK = try ask(value("1"))
        XCTAssertEqual(stage.did, ["Slider[1] 1.0"])
    }

    // MARK: Keys

    private func key(_ name: String, _ modifiers: Modifiers = [], count: UInt32 = 0) -> Key {
        make(Key.self) { ($0.name, $0.modifiers, $0.count) = (name, modifiers.rawValue, count) }
    }

    func testKeys() throws {
        for name in KeyName.allCases { let _: OK = try ask(key(name.rawValue)) }
        XCTAssertEqual(stage.did, KeyName.allCases.map { "key \($0.rawValue) 0 x1" })
        let _: OK = try ask(key("\u{e9}", [.shift, .command], count: 3))
        XCTAssertEqual(stage.did.last, "key \u{e9} 9 x3")
        for name in ["", "ab", "Return", "e\u{301}"] { XCTAssertEqual(fault(key(name))?.code, .badRequest, name) }
        XCTAssertEqual(fault(key("a", count: 1001))?.code, .badRequest)
        stage.focused = .nothing
        XCTAssertEqual(fault(key("a"))?.code, .noFocus)
        XCTAssertEqual(fault(key("no such key"))?.code, .badRequest)
        XCTAssertEqual(stage.did.count, KeyName.allCases.count + 1)
    }

    /// A field with a caret: text before it is deleted, and a tap puts it at the end.
    private func editable(_ text: String, after: String = "", stubborn: Bool = false) {
        var (before, after, all) = (text, after, false)
        let show = { [stage] in
            var field = Stage.field
            field.value = (before + after).isEmpty ? field.placeholder : before + after
            stage.focused = .element(field)
        }
        stage.onTap = { _ in (before, after) = (before + after, "") }
        stage.onKey = {
            if stubborn { return }
            if $0 == .selectAll { all = true }
            if $0 == .delete { _ = all ? { (before, after, all) = ("", "", false) }() : { _ = before.popLast() }() }
            show()
        }
        show()
    }

    func testClearDeletesWhatIsThere() throws {
        editable("abc")
        let _: OK = try ask(Clear())
        XCTAssertEqual(stage.did, ["key delete 0 x3"])
        let _: OK = try ask(Clear())  // what it shows now is its placeholder
        XCTAssertEqual(stage.did.count, 1)
    }

    func testClearDoesNotCareWhereTheCaretIs() throws {
        editable("ab", after: "cde")
        let _: OK = try ask(Clear())
        XCTAssertEqual(stage.did, ["key delete 0 x5", "tap 366.0 186.0", "key delete 0 x3"])
    }

    func testClearSaysWhenTheTextStays() {
        editable("abc", stubborn: true)
        XCTAssertEqual(fault(Clear())?.code, .exception)
        XCTAssertEqual(stage.did.suffix(2), ["key a 8 x1", "key delete 0 x1"], "the last resort")
        stage.focused = .nothing
        XCTAssertEqual(fault(Clear())?.code, .noFocus)
    }

    func testAFocusThatIsLostWhileTheFieldIsClearedIsAnException() {
        editable("abc")
        stage.onKey = { [stage] _ in stage.focused = .nothing }
        XCTAssertEqual(fault(Clear())?.code, .exception, "keys were pressed: a refusal would say that none was")
        XCTAssertEqual(stage.did, ["key delete 0 x3"])
    }

    func testClearWhereNobodySaysWhichFieldItIs() throws {
        stage.focused = .unknown
        let _: OK = try ask(Clear())
        XCTAssertEqual(stage.did, ["key delete 0 x1", "key a 8 x1", "key delete 0 x1"])
    }

    // MARK: Alerts

    private func alert(_ action: UInt8, _ button: String = "") -> Alert {
        make(Alert.self) { ($0.action, $0.button) = (action, button) }
    }

    private func dialog(_ type: String, _ title: String, _ text: String, _ buttons: [String]) -> Node {
        let words = [title, text].map { Node("StaticText", label: $0) }
        let row = buttons.enumerated().map { n, label in
            Node(
                "Button", label: label, frame: Rect(x: 60, y: 400 + Double(n) * 50, width: 270, height: 50),
                children: [Node("StaticText", label: label)])
        }
        return Node(type, label: title, children: words + [Node("Other", children: row)])
    }

    func testAlertsAreReadAndAnswered() throws {
        XCTAssertEqual(try (ask(alert(0)) as AlertState).json, "null")
        for action in 1...3 { XCTAssertEqual(fault(alert(UInt8(action)))?.code, .notFound) }
        stage.appAlerts = [dialog("Alert", "Sure?", "It \"goes\".", ["Yes", "No"])]
        let own: AlertState = try ask(alert(0))
        XCTAssertEqual(
            own.json,
            "{\"title\":\"Sure?\",\"text\":\"It \\\"goes\\\".\",\"buttons\":[\"Yes\",\"No\"],\"source\":\"com.example.shop\"}"
        )
        stage.systemAlerts = [dialog("Alert", "Allow?", "", ["Don’t Allow", "Allow"])]
        XCTAssertTrue(
            try (ask(alert(0)) as AlertState).json.contains("com.apple.springboard"), "the system's goes first")
        XCTAssertEqual(stage.did, [], "reading presses nothing")
        let _: AlertState = try ask(alert(1))
        let _: AlertState = try ask(alert(2))
        let _: AlertState = try ask(alert(3, "Allow"))
        stage.systemAlerts = []
        let _: AlertState = try ask(alert(1))
        let _: AlertState = try ask(alert(2))
        XCTAssertEqual(
            stage.did,
            ["tap 195.0 475.0", "tap 195.0 425.0", "tap 195.0 475.0", "tap 195.0 425.0", "tap 195.0 475.0"])
        XCTAssertEqual(stage.through, Array(repeating: Agent.springboard, count: 3) + [Stage.shop, Stage.shop])
        let missing = fault(alert(3, "Maybe"))
        XCTAssertEqual(missing?.code, .notFound)
        XCTAssertTrue(missing?.message.contains("\"Yes\", \"No\"") ?? false)
        XCTAssertEqual(fault(alert(4))?.code, .badRequest)
    }

    func testASheetIsAQuestionIfItIsOne() throws {
        stage.appAlerts = [dialog("Sheet", "Delete it?", "", ["Delete", "Cancel"])]
        let _: AlertState = try ask(alert(2))
        XCTAssertEqual(stage.did, ["tap 195.0 475.0"])
        stage.appAlerts[0].children.append(Node("TextField"))
        XCTAssertEqual(try (ask(alert(0)) as AlertState).json, "null")
        stage.appAlerts = [Node("Sheet", identifier: "mine", children: [Node("Button", label: "Dismiss")])]
        XCTAssertEqual(try (ask(alert(0)) as AlertState).json, "null")
    }

    // MARK: The device

    func testButtonsAndRotation() throws {
        let _: OK = try ask(make(Button.self) { $0.name = "home" })
        for orientation in Orientation.allCases {
            let _: OK = try ask(make(Rotate.self) { $0.orientation = orientation.rawValue })
        }
        XCTAssertEqual(stage.did, ["button home"] + Orientation.allCases.map { "rotate \($0.rawValue)" })
        XCTAssertEqual(fault(make(Button.self) { $0.name = "lock" })?.code, .unsupported)
        XCTAssertEqual(fault(make(Button.self) { ($0.name, $0.seconds) = ("home", 1) })?.code, .unsupported)
        XCTAssertEqual(fault(make(Button.self) { ($0.name, $0.seconds) = ("home", -1) })?.code, .badRequest)
        XCTAssertEqual(fault(make(Button.self) { $0.name = "Home" })?.code, .badRequest)
        XCTAssertEqual(fault(make(Rotate.self) { $0.orientation = "sideways" })?.code, .badRequest)
    }

    func testSettings() {
        func settings(_ value: String?) -> Settings { Settings(value.map { ["IOS_AGENT_PUBLIC_API_ONLY": $0] } ?? [:]) }
        XCTAssertTrue(settings(nil).privateAPI)
        XCTAssertTrue(settings("0").privateAPI)
        XCTAssertFalse(settings("1").privateAPI)
        XCTAssertFalse(settings("yes").privateAPI, "a word that the host does not send")
        XCTAssertEqual(settings(nil).port, 8080)
        XCTAssertFalse(settings(nil).localQueries)
        let free = Settings(["IOS_AGENT_PORT": "0", "IOS_AGENT_LOCAL_QUERIES": "1"])
        XCTAssertEqual(free.port, 0, "any free one")
        XCTAssertTrue(free.localQueries)
    }
}
