/// SHA-256, and HMAC with it (FIPS 180-4, RFC 2104). Written here so that what runs on a Mac is what the golden vectors
/// test elsewhere: CryptoKit is Apple's only. No branch and no place in memory depends on what is hashed.
enum SHA256 {
    private static let block = 64

    static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let short = key.count > block ? hash(key) : key
        let padded = short + [UInt8](repeating: 0, count: block - short.count)
        return hash(padded.map { $0 ^ 0x5c } + hash(padded.map { $0 ^ 0x36 } + message))
    }

    static func hash(_ message: [UInt8]) -> [UInt8] {
        let zeros = (2 * block - 9 - message.count % block) % block
        let padded = message + [0x80] + [UInt8](repeating: 0, count: zeros) + big(UInt64(message.count) * 8)
        var state = start
        for at in stride(from: 0, to: padded.count, by: block) { take(padded[at..<at + block], into: &state) }
        return state.flatMap(big)
    }

    private static func take(_ chunk: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var w = stride(from: chunk.startIndex, to: chunk.endIndex, by: 4).map { i in
            chunk[i..<i + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for i in 16..<64 {
            let s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3
            let s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10
            w.append(w[i - 16] &+ s0 &+ w[i - 7] &+ s1)
        }
        var s = state
        for i in 0..<64 {
            let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
            let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
            let s1 = turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)
            let s0 = turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)
            let t = s[7] &+ s1 &+ choice &+ constants[i] &+ w[i]
            s = [t &+ s0 &+ majority, s[0], s[1], s[2], s[3] &+ t, s[4], s[5], s[6]]
        }
        for i in state.indices { state[i] = state[i] &+ s[i] }
    }

    private static func turn(_ x: UInt32, _ bits: UInt32) -> UInt32 { x >> bits | x << (32 - bits) }

    private static func big<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static let start: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
