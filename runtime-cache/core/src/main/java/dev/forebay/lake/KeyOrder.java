package dev.forebay.lake;

import java.util.Comparator;

/** The order in which a lake lists keys. */
public final class KeyOrder {

    /**
     * Orders keys by their bytes in UTF-8. {@link String#compareTo} differs: it places characters
     * beyond U+FFFF, which are pairs of surrogates, before U+E000.
     */
    public static final Comparator<String> UTF8 = KeyOrder::compare;

    private static final int SURROGATES = 0x800;
    private static final int BEHIND_SURROGATES = 0x2000;

    private KeyOrder() {}

    private static int compare(String one, String other) {
        int common = Math.min(one.length(), other.length());
        for (int i = 0; i < common; i++) {
            char a = one.charAt(i);
            char b = other.charAt(i);
            if (a != b) {
                return rank(a) - rank(b);
            }
        }
        return one.length() - other.length();
    }

    /** Places surrogates after all other characters. */
    private static int rank(char c) {
        if (c < Character.MIN_SURROGATE) {
            return c;
        }
        return Character.isSurrogate(c) ? c + BEHIND_SURROGATES : c - SURROGATES;
    }
}
