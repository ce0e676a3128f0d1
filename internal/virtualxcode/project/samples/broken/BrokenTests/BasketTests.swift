import XCTest
@testable import Broken

final class BasketTests: XCTestCase {
    func testSummary() {
        XCTAssertEqual(Basket().summary, "2 for 12.5")
    }
}
