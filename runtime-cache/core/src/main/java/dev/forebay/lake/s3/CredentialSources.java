package dev.forebay.lake.s3;

import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the AWS SDK says of the places where it looked for a key, one after the other. */
final class CredentialSources {

    /** What comes before the list. */
    private static final String LIST = ": [";

    private static final Pattern NEXT = Pattern.compile(", (?=\\w+CredentialsProvider\\()");
    private static final Pattern NAME = Pattern.compile("^(\\w+)CredentialsProvider\\([^:]*: ");
    private static final Pattern NOT_SET_UP =
            Pattern.compile(
                    "must be (specified|set)|contained no credentials|neither .* set|been disabled");

    private CredentialSources() {}

    /** Of such a message, why those gave no key that somebody has set up. */
    static String tried(String message) {
        int list = message.indexOf(LIST);
        if (list < 0) {
            return message;
        }
        String all = message.substring(list + LIST.length(), message.length() - 1);
        String tried =
                NEXT.splitAsStream(all)
                        .filter(source -> !NOT_SET_UP.matcher(source).find())
                        .map(source -> NAME.matcher(source).replaceFirst("$1: "))
                        .collect(Collectors.joining(" "));
        return tried.isEmpty() ? all : tried;
    }
}
