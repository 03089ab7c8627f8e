/// The text that parity is told on: written for this program and under its licence, so that no model was trained to
/// say it, with what people give to models: plain sentences, a dialogue, numbers, code.
public enum ParityText {
    /// Another text is another name: figures of two texts are not compared.
    public static let name = "sustain.parity-text/1"

    public static let text = """
        The ferry to the island leaves at a quarter past seven, when the harbour is still grey and the gulls have not \
        yet decided what to quarrel about. Most mornings there are nine passengers: two nurses, a teacher with a box of \
        exercise books, a man who repairs refrigerators, and five children who have learned to finish their homework \
        between the lighthouse and the pier. The crossing takes forty minutes in calm weather. In a westerly wind it \
        takes an hour, and the man who repairs refrigerators does not come.

        "Did you bring the long ladder?" asked the captain.
        "I brought the short one and a rope," said the mechanic. "It is the same thing, if you are patient."
        The captain looked at the mast, then at the rope, and said nothing for a while.

        A measurement is worth as much as its conditions. Anyone who writes down that water boils at 96 degrees has to \
        add the height of the hill, or the next reader will blame the thermometer. In March the pump used 1.84 kWh a \
        day; in April, with a new bearing, 1.61 kWh; the difference is 12.5 percent, which is more than the meter's \
        error of 2 percent and less than the salesman had promised.

        To find the middle value of a list, sort it first and take the element in the centre:

            def median(values):
                ordered = sorted(values)
                middle = len(ordered) // 2
                if len(ordered) % 2 == 1:
                    return ordered[middle]
                return (ordered[middle - 1] + ordered[middle]) / 2

        For the list [7, 1, 3] it returns 3; for [4, 1, 3, 2] it returns 2.5. An empty list has no middle, so a careful \
        program asks before it divides. In the same way a careful cook tastes the soup before the guests arrive, because \
        salt can be added at any time but has never been known to leave.

        By evening the wind had turned. The teacher counted the exercise books, found one too many, and read the name on \
        its cover twice. It belonged to a pupil who had moved to the mainland three years ago. Inside, in blue ink, was a \
        list of all the birds that had ever landed on the ferry, with dates, and at the end a single question: which of \
        them had paid?

        """
}
