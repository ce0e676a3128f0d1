/// Walks the fields of one message in one direction: takes them from the bytes when reading, else appends them. A message
/// lists its fields once, so that what is written and what is read cannot drift apart. The first error stops it.
public struct Cursor {
    public private(set) var bytes: [UInt8]
    private var position: Int
    private let reading: Bool
    public private(set) var error: DecodeError?

    /// Writes after `prefix`.
    init(writingAfter prefix: [UInt8]) {
        (bytes, position, reading) = (prefix, 0, false)
    }

    /// Reads from an offset on.
    init(reading bytes: [UInt8], from offset: Int) {
        (self.bytes, position, reading) = (bytes, offset, true)
    }

    private var left: Int { bytes.count - position }

    /// The next n bytes to read. It never allocates before it has checked, so that a lying count costs nothing.
    private mutating func take(_ n: Int) -> ArraySlice<UInt8>? {
        if error == nil, n > left {
            error = DecodeError(kind: .insufficientData, detail: "\(n) bytes wanted, \(left) left")
        }
        guard error == nil else { return nil }
        defer { position += n }
        return bytes[position..<position + n]
    }

    private mutating func number<T: FixedWidthInteger>(_ value: inout T) {
        let size = MemoryLayout<T>.size
        if !reading {
            for i in 0..<size {
                bytes.append(UInt8(truncatingIfNeeded: value >> (8 * T(i))))
            }
        } else if let raw = take(size) {
            value = 0
            for (i, byte) in raw.enumerated() {
                value |= T(truncatingIfNeeded: UInt64(byte) << (8 * UInt64(i)))
            }
        }
    }

    mutating func u8(_ value: inout UInt8) { number(&value) }
    mutating func u16(_ value: inout UInt16) { number(&value) }
    mutating func u32(_ value: inout UInt32) { number(&value) }
    mutating func u64(_ value: inout UInt64) { number(&value) }
    mutating func i32(_ value: inout Int32) {
        var raw = UInt32(bitPattern: value)
        number(&raw)
        value = Int32(bitPattern: raw)
    }

    mutating func f64(_ value: inout Double) {
        var bits = value.bitPattern
        number(&bits)
        value = Double(bitPattern: bits)
    }

    /// Any byte but zero reads as true, and true is written as 1.
    mutating func flag(_ value: inout Bool) {
        var byte: UInt8 = value ? 1 : 0
        number(&byte)
        value = byte != 0
    }

    mutating func blob(_ value: inout [UInt8]) {
        // Larger ones do not fit in a frame, which is checked when the frame is made.
        var count = UInt32(truncatingIfNeeded: value.count)
        number(&count)
        if !reading {
            bytes += value
        } else if let raw = take(Int(count)) {
            value = Array(raw)
        }
    }

    mutating func str(_ value: inout String) {
        var raw = Array(value.utf8)
        blob(&raw)
        guard reading, error == nil else { return }
        guard let text = String(validating: raw) else {
            error = DecodeError(kind: .badUTF8, detail: "string of \(raw.count) bytes")
            return
        }
        value = text
    }

    /// A flag byte and, when it is set, the field.
    mutating func opt<T>(_ value: inout T?, _ empty: T, _ field: (inout Cursor, inout T) -> Void) {
        var present = value != nil
        flag(&present)
        guard present, error == nil else { return }
        var inner = value ?? empty
        field(&self, &inner)
        value = inner
    }

    /// opt for a last field that older peers leave out altogether, flag and all.
    mutating func trailing<T>(_ value: inout T?, _ empty: T, _ field: (inout Cursor, inout T) -> Void) {
        if !reading || left > 0 {
            opt(&value, empty, field)
        }
    }

    /// A number newer than the message it ends: left out when zero, and zero when left out.
    mutating func extra(_ value: inout UInt32) {
        if reading ? left >= 4 : value != 0 {
            number(&value)
        }
    }
}

extension String {
    /// The text of these bytes; nil when they are not UTF-8. `String(validating:as:)` needs a newer system than we do.
    init?(validating bytes: [UInt8]) {
        var decoder = UTF8()
        var scalars = bytes.makeIterator()
        var text = String.UnicodeScalarView()
        while true {
            switch decoder.decode(&scalars) {
            case .scalarValue(let scalar): text.append(scalar)
            case .emptyInput:
                self = String(text)
                return
            case .error: return nil
            }
        }
    }
}
