import XCTest
@testable import Steps

final class DayTests: XCTestCase {
    func testWalk() {
        var day = Day()
        day.walk(10)
        XCTAssertEqual(day.count, 10)
    }
}
