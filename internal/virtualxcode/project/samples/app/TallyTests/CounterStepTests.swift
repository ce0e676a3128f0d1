import Testing
@testable import Tally

@Suite("Counter steps")
struct CounterStepTests {
    @Test("A step may be larger than one")
    func largeStep() {
        var counter = Counter()
        counter.increment(by: 3)
        #expect(counter.value == 3)
    }

    @Test func negativeStepIsIgnored() {
        var counter = Counter()
        counter.increment(by: -1)
        #expect(counter.value == 0)
    }

    @Test(arguments: [1, 2, 3])
    func stepIsAdded(step: Int) {
        var counter = Counter()
        counter.increment(by: step)
        #expect(counter.value == step)
    }
}
