import XCTest
@testable import Tally

final class CounterTests: XCTestCase {
    func testStartsAtZero() {
        XCTAssertEqual(Counter().value, 0)
    }

    func testIncrement() {
        var counter = Counter()
        counter.increment()
        XCTAssertEqual(counter.value, 1)
    }

    func testReset() {
        var counter = Counter()
        counter.increment(by: 5)
        counter.reset()
        XCTAssertEqual(counter.value, 0)
    }
}
