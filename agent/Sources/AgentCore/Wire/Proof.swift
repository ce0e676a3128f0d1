/// How both sides prove that they have the token, which itself never travels.
enum Proof {
    /// How many random bytes each side gives.
    static let nonceSize = 16

    /// The word keeps the proof of one side from being sent back as that of the other.
    enum Side: String {
        case agent, client
    }

    static func of(_ side: Side, token: String, client: [UInt8], agent: [UInt8]) -> [UInt8] {
        SHA256.hmac(Array("ios-agent \(side.rawValue)".utf8) + client + agent, key: Array(token.utf8))
    }

    /// Bytes that nobody can guess: the system's generator is a cryptographic one.
    static func nonce() -> [UInt8] { (0..<nonceSize).map { _ in UInt8.random(in: .min ... .max) } }

    /// Compares without telling by its time how much was right.
    static func same(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
