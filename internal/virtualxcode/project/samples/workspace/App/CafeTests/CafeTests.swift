import CafeKit
import XCTest

final class CafeTests: XCTestCase {
    func testMenuIsNotEmpty() {
        XCTAssertFalse(Menu.standard.drinks.isEmpty)
    }
}
