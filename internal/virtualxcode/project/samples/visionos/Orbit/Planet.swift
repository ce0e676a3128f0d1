struct Planet {
    var moons = 1

    mutating func capture() {
        moons += 1
    }
}
