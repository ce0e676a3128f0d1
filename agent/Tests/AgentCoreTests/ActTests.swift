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
}
