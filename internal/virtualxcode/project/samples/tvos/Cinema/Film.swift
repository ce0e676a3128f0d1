struct Film {
    var title = "Trailer"

    func label() -> String {
        return title.uppercased()
    }
}
