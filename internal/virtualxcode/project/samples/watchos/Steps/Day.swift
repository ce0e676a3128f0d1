struct Day {
    var count = 0

    mutating func walk(_ steps: Int) {
        count += steps
    }
}
