import CHost
import Glibc
import Testing

@testable import Session

/// What a compiler leaves in a file of machine code, and what a processor tells of its hypervisor.
@Suite struct FileTextTests {
    private func text(_ bytes: [UInt8], from start: String, room: Int = 64) throws -> (Int, String) {
        let tree = try MachineTree()
        let path = tree.root + "/library"
        try AtomicFile.write(bytes, to: path)
        var text = [CChar](repeating: 1, count: room)
        let length = chost_file_text(path, start, &text, room)
        return (length, String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    private func library(_ words: String...) -> [UInt8] {
        var bytes: [UInt8] = [0x7F]
        for word in words {
            bytes.append(0)
            bytes += Array(word.utf8)
            bytes.append(0)
        }
        return bytes
    }

    @Test func theTextIsCopiedUpToItsEnd() throws {
        let file = library("printf", "__assert_fail", "GCC: (Debian 12.2.0-14) 12.2.0")
        #expect(try text(file, from: "__assert_fail") == (13, "__assert_fail"))
        #expect(try text(file, from: "GCC: (") == (30, "GCC: (Debian 12.2.0-14) 12.2.0"))
        #expect(try text(file, from: "GCC: (", room: 6) == (5, "GCC: "))
    }

    @Test func whatIsNowhereIsNothing() throws {
        #expect(try text(library("printf"), from: "__assert_fail") == (0, ""))
        #expect(try text([], from: "__assert_fail") == (0, ""))
        var room: [CChar] = [1]
        #expect(chost_file_text("/nonexistent", "x", &room, 1) == -Int(ENOENT))
        #expect(chost_file_text("/", "x", &room, 1) == -Int(EINVAL))
    }

    /// Twelve bytes of whoever is below, and an end.
    @Test func aHypervisorsNameEnds() {
        var name = [CChar](repeating: 1, count: 13)
        chost_hypervisor(&name)
        #expect(name.contains(0))
    }
}
