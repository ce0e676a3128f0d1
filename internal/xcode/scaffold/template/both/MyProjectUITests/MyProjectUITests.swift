import XCTest

final class MyProjectUITests: XCTestCase {
    @MainActor
    func testGreetsAgain() {
        let app = XCUIApplication()
        app.launch()
        app.buttons["greet-again"].firstMatch.tap()
        XCTAssertEqual(app.staticTexts["greeting"].firstMatch.label, "Hello again (2)")
    }
}
