// swift-tools-version:5.9
import PackageDescription

// What can be built without Apple's frameworks. AgentXCUI and AgentObjC need them and are built by the Xcode project that
// the host writes; Stubs stands in for the frameworks when AgentXCUI is type-checked elsewhere.
let package = Package(
    name: "agent",
    products: [.library(name: "AgentCore", targets: ["AgentCore"])],
    targets: [
        .target(name: "AgentCore"),
        .target(name: "SimulatedApp", dependencies: ["AgentCore"]),
        .executableTarget(name: "agent-linux", dependencies: ["AgentCore", "SimulatedApp"]),
        .testTarget(name: "AgentCoreTests", dependencies: ["AgentCore", "SimulatedApp"]),
    ]
)
