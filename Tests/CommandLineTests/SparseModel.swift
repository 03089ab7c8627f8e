import Foundation
import TestSupport

/// A GGUF file of any size that takes next to no room on the disk: a header, and a hole where the weights are.
struct SparseModel {
    /// 32 layers of 8 key-value heads of 128, as an 8B has them.
    private static let hyperparameters: [(String, UInt32)] = [
        ("block_count", 32), ("context_length", 8192), ("embedding_length", 4096),
        ("feed_forward_length", 14_336), ("attention.head_count", 32), ("attention.head_count_kv", 8),
    ]

    /// - Parameter mebibytes: of weights.
    static func write(_ name: String, mebibytes: UInt64, in workplace: Workplace) throws -> String {
        var header = Data("GGUF".utf8)
        func add<Value: FixedWidthInteger>(_ value: Value) {
            withUnsafeBytes(of: value.littleEndian) { header.append(contentsOf: $0) }
        }
        func add(_ text: String) {
            add(UInt64(text.utf8.count))
            header.append(contentsOf: text.utf8)
        }
        add(UInt32(3))
        add(UInt64(1))
        add(UInt64(hyperparameters.count + 1))
        add("general.architecture")
        add(UInt32(8))
        add("llama")
        for (key, value) in hyperparameters {
            add("llama.\(key)")
            add(UInt32(4))
            add(value)
        }
        // One matrix of F16 in rows of 4096.
        add("token_embd.weight")
        add(UInt32(2))
        add(UInt64(4096))
        add(UInt64(mebibytes << 20) / 8192)
        add(UInt32(1))
        add(UInt64(0))
        header.append(Data(repeating: 0, count: (32 - header.count % 32) % 32))
        let place = workplace.url.appending(path: name)
        try header.write(to: place)
        guard truncate(place.path, off_t(header.count) + off_t(mebibytes << 20)) == 0 else {
            throw SetUpFailure("\(place.path) cannot be made \(mebibytes) MiB long")
        }
        return place.path
    }
}
