package dev.forebay.lake.s3;

import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Parses the AWS SDK's message about missing credentials, which lists every provider that it tried.
 */
final class CredentialSources {

    /** The separator before the list of providers. */
    private static final String LIST = ": [";

    private static final Pattern NEXT = Pattern.compile(", (?=\\w+CredentialsProvider\\()");
    private static final Pattern NAME = Pattern.compile("^(\\w+)CredentialsProvider\\([^:]*: ");
    private static final Pattern NOT_SET_UP =
            Pattern.compile(
                    "must be (specified|set)|contained no credentials|neither .* set|been disabled");

    private CredentialSources() {}

    /**
     * Returns only the failures of providers that are configured, or all of them if none is
     * configured.
     */
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
