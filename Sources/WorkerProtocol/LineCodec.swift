import FoundationEssentials

/// Turns commands and events into JSON lines and back. Every line ends in a line feed.
public enum LineCodec {
    /// No line of the protocol is longer; a longer one is garbage, not a message.
    public static let longestLine = 1 << 20

    private struct Tag: Codable {
        var command: String?
        var event: String?
    }

    /// A line that is no message of the protocol.
    public struct Garbage: Error, Sendable, Hashable {
        /// What is wrong with it, in plain words.
        public let cause: String
        /// The first 120 bytes of the line, invalid UTF-8 replaced.
        public let excerpt: String

        public init(cause: String, excerpt: String) {
            self.cause = cause
            self.excerpt = excerpt
        }
    }

    public static func encode(_ command: Command) -> [UInt8] {
        switch command {
        case .load(let request), .size(let request): line(tag: Tag(command: command.name), request)
        case .generate(let request): line(tag: Tag(command: command.name), request)
        case .tokenize(let request): line(tag: Tag(command: command.name), request)
        case .score(let request): line(tag: Tag(command: command.name), request)
        case .go, .unload, .stop, .quit: line(tag: Tag(command: command.name), Empty())
        }
    }

    public static func encode(_ event: Event) -> [UInt8] {
        let tag = Tag(event: event.name)
        return switch event {
        case .hello(let body): line(tag: tag, body)
        case .loaded(let body): line(tag: tag, body)
        case .sized(let body): line(tag: tag, body)
        case .mark(let body): line(tag: tag, body)
        case .tokens(let body): line(tag: tag, body)
        case .memory(let body): line(tag: tag, body)
        case .tokenized(let body): line(tag: tag, body)
        case .scored(let body): line(tag: tag, body)
        case .done(let body): line(tag: tag, body)
        case .error(let body): line(tag: tag, body)
        }
    }

    /// - Parameter bytes: one line, with or without its line feed.
    public static func command(from bytes: some Collection<UInt8>) throws(Garbage) -> Command {
        let data = Data(bytes)
        return try decoding(data) { decoder in
            switch try decoder.decode(Tag.self, from: data).command {
            case "go": .go
            case "load": .load(try decoder.decode(LoadRequest.self, from: data))
            case "size": .size(try decoder.decode(LoadRequest.self, from: data))
            case "generate": .generate(try decoder.decode(GenerateRequest.self, from: data))
            case "tokenize": .tokenize(try decoder.decode(TokenizeRequest.self, from: data))
            case "score": .score(try decoder.decode(ScoreRequest.self, from: data))
            case "unload": .unload
            case "stop": .stop
            case "quit": .quit
            case let other: throw UnknownName(name: other, key: "command")
            }
        }
    }

    /// - Parameter bytes: one line, with or without its line feed.
    public static func event(from bytes: some Collection<UInt8>) throws(Garbage) -> Event {
        let data = Data(bytes)
        return try decoding(data) { decoder in
            switch try decoder.decode(Tag.self, from: data).event {
            case "hello": .hello(try decoder.decode(Hello.self, from: data))
            case "loaded": .loaded(try decoder.decode(Loaded.self, from: data))
            case "sized": .sized(try decoder.decode(Sized.self, from: data))
            case "mark": .mark(try decoder.decode(Mark.self, from: data))
            case "tokens": .tokens(try decoder.decode(TokenBatch.self, from: data))
            case "memory": .memory(try decoder.decode(MemoryReport.self, from: data))
            case "tokenized": .tokenized(try decoder.decode(Tokenized.self, from: data))
            case "scored": .scored(try decoder.decode(Scored.self, from: data))
            case "done": .done(try decoder.decode(Done.self, from: data))
            case "error": .error(try decoder.decode(WorkerError.self, from: data))
            case let other: throw UnknownName(name: other, key: "event")
            }
        }
    }

    private struct Empty: Codable {}

    private struct UnknownName: Error {
        let name: String?
        let key: String
    }

    /// Tag and body share one JSON object: each encodes its own keys into it.
    private struct Tagged<Body: Encodable>: Encodable {
        let tag: Tag
        let body: Body
        func encode(to encoder: any Encoder) throws {
            try tag.encode(to: encoder)
            try body.encode(to: encoder)
        }
    }

    private static func line(tag: Tag, _ body: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only a NaN or an infinity makes JSONEncoder throw, and no message holds a floating point number.
        let data = (try? encoder.encode(Tagged(tag: tag, body: body))) ?? Data()
        return Array(data) + [0x0A]
    }

    private static func decoding<Message>(
        _ data: Data, _ body: (JSONDecoder) throws -> Message
    ) throws(Garbage) -> Message {
        do {
            return try body(JSONDecoder())
        } catch let unknown as UnknownName {
            throw Garbage(
                cause: unknown.name.map { "unknown \(unknown.key) \"\($0)\"" } ?? "no \(unknown.key)",
                excerpt: excerpt(data))
        } catch {
            throw Garbage(cause: "not a message of the worker protocol", excerpt: excerpt(data))
        }
    }

    private static func excerpt(_ data: Data) -> String {
        String(decoding: data.prefix(120), as: UTF8.self)
    }
}
