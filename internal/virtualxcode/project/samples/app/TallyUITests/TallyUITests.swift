import XCTest

final class TallyUITests: XCTestCase {
    override func setUp() {
        continueAfterFailure = false
    }

    func testAddOne() { // virtual: takes: 4.25
        let app = XCUIApplication()
        app.launch()
        app.buttons["add-button"].tap()
        XCTAssertEqual(app.staticTexts["count-label"].label, "Count: 1")
    }
}
