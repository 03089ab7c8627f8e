/// A rectangle in the coordinates of a picture: y grows downwards.
struct Box: Sendable, Hashable {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double

    func meets(_ other: Box) -> Bool {
        left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }

    func contains(_ other: Box) -> Bool {
        left <= other.left && other.right <= right && top <= other.top && other.bottom <= bottom
    }
}

/// Keeps labels apart: a label that finds no free place is left out.
struct LabelPlacer: Sendable {
    enum Anchor: String, Sendable {
        case start
        case middle = "mid"
        case end
    }

    /// The point that a text is set at: its baseline at one of its ends or its middle.
    struct Place: Sendable {
        var x: Double
        var y: Double
        var anchor: Anchor
    }

    let bounds: Box
    private var taken: [Box] = []

    init(bounds: Box) { self.bounds = bounds }

    /// The first place where the text lies inside and touches nothing placed before.
    mutating func place(_ text: String, at places: [Place]) -> Place? {
        for place in places {
            let box = Self.box(text, at: place)
            guard bounds.contains(box), !taken.contains(where: box.meets) else { continue }
            taken.append(box)
            return place
        }
        return nil
    }

    mutating func take(_ box: Box) { taken.append(box) }

    private static func box(_ text: String, at place: Place) -> Box {
        let width = TextMetrics.width(text)
        let left =
            switch place.anchor {
            case .start: place.x
            case .middle: place.x - width / 2
            case .end: place.x - width
            }
        return Box(left: left, top: place.y - 12, right: left + width, bottom: place.y + 4)
    }
}
