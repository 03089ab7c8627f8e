import Foundation

/// A GGUF file that a run can inspect, hash and drop from the page cache: a header and one tensor of 4 MiB.
package enum TinyModel {
    package static func bytes(trainedContext: UInt32 = 200) -> Data {
        func little<Number: FixedWidthInteger>(_ number: Number) -> Data {
            withUnsafeBytes(of: number.littleEndian) { Data($0) }
        }
        func text(_ string: String) -> Data { little(UInt64(string.utf8.count)) + Data(string.utf8) }
        let elements: UInt64 = 1 << 20
        var file = Data("GGUF".utf8) + little(UInt32(3)) + little(UInt64(1)) + little(UInt64(2))
        // Types of the format: 8 is a string, 4 an unsigned integer of 32 bits; of tensors 0 is F32.
        file += text("general.architecture") + little(UInt32(8)) + text("llama")
        file += text("llama.context_length") + little(UInt32(4)) + little(trainedContext)
        file += text("blk.0.ffn_up.weight") + little(UInt32(1)) + little(elements)
        file += little(UInt32(0)) + little(UInt64(0))
        file += Data(repeating: 0, count: (32 - file.count % 32) % 32)
        return file + Data(repeating: 1, count: Int(elements) * 4)
    }
}
