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

    func testTextGoesToTheFocusElseToTheAppElseNowhere() throws {
        let text = make(TypeText.self) { $0.text = "h\u{e9}" }
        let _: OK = try ask(text)
        stage.focused = .unknown
        let _: OK = try ask(text)
        XCTAssertEqual(stage.did, ["type h\u{e9}", "type h\u{e9}"])
        stage.focused = .nothing
        XCTAssertEqual(fault(text)?.code, .noFocus)
        XCTAssertEqual(stage.did.count, 2)
    }

    /// With a hardware keyboard there is no other on the screen, and without private keys nobody says what has the focus.
    func testWhereTheFocusIsNotKnownXCTestSaysThatNothingHasIt() throws {
        (stage.focused, stage.lacksFocus) = (.unknown, true)
        let requests: [any Request] = [
            make(TypeText.self) { $0.text = "x" }, make(Key.self) { $0.name = "return" }, Clear(),
        ]
        for request in requests { XCTAssertEqual(fault(request)?.code, .noFocus, "\(request)") }
        XCTAssertEqual(stage.did, [], "nothing was pressed")
        (stage.lacksFocus, stage.fails) = (false, AgentFault(.exception, "Failed to synthesize event: timed out"))
        for request in requests { XCTAssertEqual(fault(request)?.code, .exception, "\(request)") }
    }

    /// On an iPad two apps share the screen: frames are of the screen, and XCTest takes offsets from the app's own corner.
    func testPointsAreTakenFromTheAppsOrigin() throws {
        stage.origins = [Stage.shop: Point(x: 500, y: 20)]
        let _: OK = try ask(make(TapCoord.self) { ($0.x, $0.y) = (510, 30) })
        let _: OK = try ask(make(DoubleTap.self) { ($0.x, $0.y) = (510, 30) })
        let _: OK = try ask(make(LongPress.self) { ($0.x, $0.y, $0.seconds) = (510, 30, 1) })
        let _: OK = try ask(
            make(Swipe.self) { ($0.startX, $0.startY, $0.endX, $0.endY, $0.seconds) = (510, 30, 510, 60, 1) })
        let _: OK = try ask(
            make(Drag.self) { ($0.startX, $0.startY, $0.endX, $0.endY) = (510, 30, 520, 30) })
        XCTAssertEqual(
            stage.did,
            [
                "tap 10.0 10.0", "double 10.0 10.0", "press 10.0 10.0 1.0", "drag 10.0 10.0 10.0 40.0 0.05 v30.0 0.0",
                "drag 10.0 10.0 20.0 10.0 0.05 v0.0 0.0",
            ])
        stage.systemAlerts = [Node("Alert", label: "Allow?")]
        let _: OK = try ask(make(TapCoord.self) { ($0.x, $0.y) = (510, 30) })
        XCTAssertEqual(stage.did.last, "tap 510.0 30.0", "SpringBoard has the whole screen")
    }

    func testAnElementIsTappedFromTheAppsOrigin() throws {
        stage.origins = [Stage.shop: Point(x: 10, y: 20)]
        let _: OK = try ask(tapElement("login"))
        XCTAssertEqual(stage.did, ["tap 60.0 100.0"])
    }
}
