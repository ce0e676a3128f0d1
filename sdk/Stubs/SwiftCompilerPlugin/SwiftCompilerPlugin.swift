// The signatures of SwiftCompilerPlugin, which a compiler's own SwiftSyntax leaves out.
import SwiftSyntaxMacros

public protocol CompilerPlugin {
    init()
    var providingMacros: [Macro.Type] { get }
}
extension CompilerPlugin {
    public static func main() throws {}
}
