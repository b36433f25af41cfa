package dev.forebay.model;

/**
 * Escapes text from outside Forebay, such as keys of the lake, for messages. Invisible characters
 * are escaped because the reader of the message could not see the problem otherwise.
 */
public final class ShownText {

    private static final int MOST_CHARACTERS = 200;

    private ShownText() {}

    /**
     * Returns the text with invisible characters, and those outside the basic plane, written like
     * {@code \u200b}. Text is cut off after 200 characters, with an ellipsis.
     */
    public static String of(String text) {
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < text.length() && i < MOST_CHARACTERS; i++) {
            char c = text.charAt(i);
            if (isVisible(c)) {
                shown.append(c);
            } else {
                shown.append(String.format("\\u%04x", (int) c));
            }
        }
        return text.length() > MOST_CHARACTERS ? shown + "…" : shown.toString();
    }

    /** Returns whether every character of the text is visible. */
    public static boolean isVisible(String text) {
        return text.chars().allMatch(ShownText::isVisible);
    }

    static boolean isVisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED ->
                    false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }
}
