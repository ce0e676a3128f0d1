import AgentCore

/// Draws a tree as a PNG: one grey shade a level. Enough to be a picture that changes with the screen.
enum Picture {
    static func png(of root: Node) -> [UInt8] {
        let (width, height) = (Int(root.frame.width), Int(root.frame.height))
        var pixels = [UInt8](repeating: 255, count: width * height)
        func paint(_ node: Node, _ shade: UInt8) {
            let f = node.frame
            for y in max(0, Int(f.y))..<max(0, min(height, Int(f.y + f.height))) where f.hasArea {
                for x in max(0, Int(f.x))..<max(0, min(width, Int(f.x + f.width))) { pixels[y * width + x] = shade }
            }
            for child in node.children { paint(child, shade > 40 ? shade - 25 : shade) }
        }
        paint(root, 250)
        let rows = (0..<height).flatMap { [0] + pixels[($0 * width)..<(($0 + 1) * width)] }
        let header = big(UInt32(width)) + big(UInt32(height)) + [8, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + chunk("IDAT", zlib(rows))
            + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return big(UInt32(data.count)) + body + big(crc(body))
    }

    /// A zlib stream of stored blocks: no compression is needed here.
    private static func zlib(_ data: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: data.count, by: 65_535) {
            let end = min(start + 65_535, data.count)
            let count = UInt16(end - start)
            out.append(end == data.count ? 1 : 0)
            out += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
            out += data[start..<end]
        }
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in data {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return out + big(b << 16 | a)
    }

    private static let table: [UInt32] = (0..<256).map { n in
        (0..<8).reduce(UInt32(n)) { c, _ in c & 1 == 1 ? 0xEDB8_8320 ^ (c >> 1) : c >> 1 }
    }

    private static func crc(_ data: [UInt8]) -> UInt32 {
        ~data.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 255)] ^ ($0 >> 8) }
    }

    private static func big(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
