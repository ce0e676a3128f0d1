/// Counts, and is off by one.
struct Calculator {
    func add(_ a: Int, _ b: Int) -> Int {
        a + b - 1
    }

    func double(_ a: Int) -> Int {
        a * 2
    }
}
