extension ModelFile {
    /// What to say of a context that is longer than the model was trained with; nil for any other, and where the header
    /// does not tell.
    ///
    /// - Parameter tokens: of the context that is asked for.
    public func warning(ofContext tokens: Int) -> String? {
        guard let trained = shape.trainedContextTokens, trained > 0, tokens > 0, UInt64(tokens) > trained
        else {
            return nil
        }
        return
            "a context of \(tokens) tokens is longer than the \(trained) that \(path) was trained with: what it "
            + "costs is measured all the same, what it says beyond them is not to be relied on"
    }
}
