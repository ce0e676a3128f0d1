public struct UTType {
    public static var text: UTType { fatalError() }
}
