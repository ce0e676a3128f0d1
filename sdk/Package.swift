// swift-tools-version:5.9
import CompilerPluginSupport
import PackageDescription

// Where no package can be fetched, this names the folder of the compiler's own SwiftSyntax: the macro's code is then built
// against that, as a library, and tested; -Xswiftc -I names it to the compiler.
let own = Context.environment["IOS_AGENT_SWIFT_HOST"]
let modules = [
    "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros",
    "SwiftSyntaxMacroExpansion",
]

func syntax(_ names: String...) -> [Target.Dependency] {
    own == nil ? names.map { .product(name: $0, package: "swift-syntax") } : []
}
let linked: [LinkerSetting] =
    own.map { folder in
        [.unsafeFlags(["-L", folder, "-Xlinker", "-rpath", "-Xlinker", folder])] + modules.map { .linkedLibrary($0) }
    } ?? []

let macros: Target =
    own == nil
    ? .macro(
        name: "AgentIdentifiersMacros",
        dependencies: ["IdentifierScheme"]
            + syntax(
                "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros"))
    : .target(
        name: "AgentIdentifiersMacros", dependencies: ["IdentifierScheme"], linkerSettings: linked
    )

let package = Package(
    name: "AgentIdentifiers",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .visionOS(.v1)],
    products: [.library(name: "AgentIdentifiers", targets: ["AgentIdentifiers"])],
    dependencies: own == nil
        ? [.package(url: "https://github.com/swiftlang/swift-syntax.git", "600.0.0"..<"700.0.0")] : [],
    targets: [
        .target(name: "IdentifierScheme"),
        macros,
        .target(name: "AgentIdentifiers", dependencies: ["IdentifierScheme", "AgentIdentifiersMacros"]),
        .testTarget(name: "IdentifierSchemeTests", dependencies: ["IdentifierScheme"]),
        .testTarget(name: "AgentIdentifiersTests", dependencies: ["AgentIdentifiers"]),
        .testTarget(
            name: "AgentIdentifiersMacrosTests",
            dependencies: ["AgentIdentifiersMacros"]
                + syntax("SwiftParser", "SwiftSyntax", "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros"),
            linkerSettings: linked),
    ]
)
