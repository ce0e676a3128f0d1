// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "CafeKit",
    platforms: [.iOS(.v17)],
    products: [
        .library(name: "CafeKit", targets: ["CafeKit"]),
    ],
    targets: [
        .target(name: "CafeKit"),
        .testTarget(name: "CafeKitTests", dependencies: ["CafeKit"]),
    ]
)
