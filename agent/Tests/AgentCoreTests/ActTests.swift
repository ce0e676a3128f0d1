import XCTest

@testable import AgentCore

final class ActTests: AgentTestCase {
    func testSwipeVelocityIsDistanceByTime() throws {
        let _: OK = try ask(
            make(Swipe.self) { ($0.startX, $0.startY, $0.endX, $0.endY) = (195, 600, 195, 300) })
        let _: OK = try ask(make(Swipe.self) { ($0.endX, $0.endY, $0.seconds) = (30, 40, 2) })
        let _: OK = try ask(make(Swipe.self) { ($0.startX, $0.endX, $0.seconds) = (9, 9, 2) })
        let _: OK = try ask(make(LongPress.self) { ($0.x, $0.y, $0.seconds) = (1, 2, 1.5) })
        XCTAssertEqual(
            stage.did,
            [
                "drag 195.0 600.0 195.0 300.0 0.05 v1000.0 0.0", "drag 0.0 0.0 30.0 40.0 0.05 v25.0 0.0",
                "press 9.0 0.0 2.0", "press 1.0 2.0 1.5",
            ])
    }

    func testImpossibleDurations() {
        for seconds in [0, -1, .nan, .infinity, 3601] {
            XCTAssertEqual(fault(make(LongPress.self) { $0.seconds = seconds })?.code, .badRequest)
            XCTAssertEqual(fault(make(Swipe.self) { ($0.endX, $0.seconds) = (5, seconds) })?.code, .badRequest)
        }
        XCTAssertEqual(stage.did, [])
    }

    func testTextGoesToTheFocusElseToTheKeyboardElseNowhere() throws {
        let text = make(TypeText.self) { $0.text = "h\u{e9}" }
        let _: OK = try ask(text)
        stage.focused = .keyboard
        let _: OK = try ask(text)
        XCTAssertEqual(stage.did, ["type h\u{e9}", "type h\u{e9}"])
        stage.focused = .nothing
        XCTAssertEqual(fault(text)?.code, .noFocus)
        XCTAssertEqual(stage.did.count, 2)
    }

    func testKeys() throws {
        try agent.press(.enter)
        stage.focused = .nothing
        try agent.press(.home)
        XCTAssertThrowsError(try agent.press(.delete)) { XCTAssertEqual(($0 as? AgentFault)?.code, .noFocus) }
        XCTAssertEqual(stage.did, ["key return", "key home"])
    }

    func testDragAndPinch() throws {
        let (from, to) = (Point(x: 0, y: 0), Point(x: 0, y: 100))
        try agent.drag(from: from, to: to, pressSeconds: 0.5, seconds: 2, holdSeconds: 0.1)
        try agent.pinch(nil, scale: 2, seconds: 0.5)
        try agent.pinch(Query("login"), scale: 0.5, seconds: 0.5)
        XCTAssertEqual(stage.did, ["drag 0.0 0.0 0.0 100.0 0.5 v50.0 0.1", "pinch 2.0 v2.0", "pinch 0.5 v-1.0"])
        XCTAssertThrowsError(try agent.drag(from: from, to: from, pressSeconds: 0, seconds: 1, holdSeconds: 0))
        XCTAssertThrowsError(try agent.drag(from: from, to: to, pressSeconds: 0, seconds: 0, holdSeconds: 0))
        XCTAssertThrowsError(try agent.pinch(nil, scale: 1, seconds: 1))
        XCTAssertThrowsError(try agent.pinch(nil, scale: -1, seconds: 1))
        XCTAssertThrowsError(try agent.pinch(Query("nothing"), scale: 2, seconds: 1))
        XCTAssertEqual(stage.did.count, 3)
    }

    /// Lets the field's text be what was not deleted.
    private func editable(_ text: String, stubborn: Bool = false) {
        var text = text
        stage.onKey = { if $0 == .delete, !stubborn { _ = text.popLast() } }
        stage.show = { _ in
            var root = Stage.tree
            root.children[0].children[1].value = text.isEmpty ? "you@example.com" : text
            return root
        }
    }

    func testClearDeletesUntilTheFieldReadsAsEmpty() throws {
        editable("abc")
        try agent.clear(Query("email"), wait: 0)
        XCTAssertEqual(stage.did, ["tap 366.0 170.0"] + Array(repeating: "key delete", count: 3))
        try agent.clear(Query("email"), wait: 0)  // what it shows now is its placeholder
        XCTAssertEqual(stage.did.count, 4)
    }

    func testClearSaysWhenTheTextStays() {
        editable("abc", stubborn: true)
        XCTAssertThrowsError(try agent.clear(Query("email"), wait: 0)) {
            XCTAssertEqual(($0 as? AgentFault)?.code, .exception)
        }
        XCTAssertThrowsError(try agent.clear(Query("nothing"), wait: 0)) {
            XCTAssertEqual(($0 as? AgentFault)?.code, .notFound)
        }
    }

    func testSetValue() throws {
        editable("")
        try agent.setValue(Query("email"), to: "x@y.z", wait: 0)
        XCTAssertEqual(stage.did, ["tap 195.0 170.0", "type x@y.z"])
        func only(_ type: String, _ value: String) {
            stage.show = { _ in
                let node = Node(type, identifier: "it", value: value, frame: Rect(width: 100, height: 20))
                return Node("Application", children: [node])
            }
        }
        only("Slider", "50%")
        try agent.setValue(Query("it"), to: "25%", wait: 0)
        XCTAssertThrowsError(try agent.setValue(Query("it"), to: "150%", wait: 0))
        only("PickerWheel", "Red")
        try agent.setValue(Query("it"), to: "Green", wait: 0)
        only("Switch", "1")
        try agent.setValue(Query("it"), to: "1", wait: 0)  // it is already
        try agent.setValue(Query("it"), to: "0", wait: 0)
        XCTAssertThrowsError(try agent.setValue(Query("it"), to: "on", wait: 0))
        XCTAssertEqual(Array(stage.did.dropFirst(2)), ["slider 0.25", "wheel Green", "tap 50.0 10.0"])
        only("StaticText", "x")
        XCTAssertThrowsError(try agent.setValue(Query("it"), to: "y", wait: 0)) {
            XCTAssertEqual(($0 as? AgentFault)?.code, .unsupported)
        }
    }

    func testAlertsOfTheSystemAreFoundAndAnswered() throws {
        XCTAssertNil(try agent.alert())
        XCTAssertThrowsError(try agent.answerAlert(button: nil, accept: true))
        let buttons = ["Don't Allow", "Allow"].enumerated().map { n, label in
            Node("Button", label: label, frame: Rect(x: 60, y: 400 + Double(n) * 50, width: 270, height: 50))
        }
        stage.systemAlerts = [Node("Alert", label: "Allow?", children: [Node("Other", children: buttons)])]
        XCTAssertEqual(try agent.alert()?.bundle, Agent.springboard)
        try agent.answerAlert(button: nil, accept: true)
        try agent.answerAlert(button: nil, accept: false)
        try agent.answerAlert(button: "Allow", accept: false)
        XCTAssertEqual(stage.did, ["tap 195.0 475.0", "tap 195.0 425.0", "tap 195.0 475.0"])
        XCTAssertThrowsError(try agent.answerAlert(button: "Maybe", accept: true)) {
            XCTAssertTrue(($0 as? AgentFault)?.message.contains("\"Allow\"") ?? false)
        }
    }
}
