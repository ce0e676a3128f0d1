import XCTest
@testable import Cinema

final class FilmTests: XCTestCase {
    func testLabel() {
        XCTAssertEqual(Film().label(), "TRAILER")
    }
}
