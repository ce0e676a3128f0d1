import XCTest
@testable import Notes

final class NoteStoreTests: XCTestCase {
    func testNewestFirst() {
        var store = NoteStore()
        store.add("old")
        store.add("new")
        XCTAssertEqual(store.titles, ["new", "old"])
    }
}
