#if canImport(SwiftCompilerPlugin)
    import SwiftCompilerPlugin
    import SwiftSyntaxMacros

    /// What the compiler starts.
    @main
    struct Plugin: CompilerPlugin {
        let providingMacros: [Macro.Type] = [AgentIdentifiedMacro.self, AgentIgnoredMacro.self]
    }
#endif
