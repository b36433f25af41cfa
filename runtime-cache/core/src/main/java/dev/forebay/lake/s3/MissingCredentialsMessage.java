package dev.forebay.lake.s3;

import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Parses the AWS SDK's message about missing credentials, which lists every provider that it tried.
 */
final class MissingCredentialsMessage {

    /** The separator before the list of providers. */
    private static final String LIST = ": [";

    private static final Pattern NEXT = Pattern.compile(", (?=\\w+CredentialsProvider\\()");
    private static final Pattern NAME = Pattern.compile("^(\\w+)CredentialsProvider\\([^:]*: ");
    private static final Pattern NOT_SET_UP =
            Pattern.compile(
                    "must be (specified|set)|contained no credentials|neither .* set|been disabled");

    /** Every machine tries it, whether it has such a service or not. */
    private static final String OF_EVERY_MACHINE = "InstanceProfile";

    private MissingCredentialsMessage() {}

    /** Returns whether a provider has failed that an operator has configured. */
    static boolean isAnySetUp(String message) {
        return failures(message).anyMatch(source -> !source.startsWith(OF_EVERY_MACHINE));
    }

    /**
     * Returns only the failures of providers that are configured, or all of them if none is
     * configured.
     */
    static String tried(String message) {
        String failures = failures(message).collect(Collectors.joining(" "));
        return failures.isEmpty() ? list(message) : failures;
    }

    private static Stream<String> failures(String message) {
        return message.contains(LIST)
                ? NEXT.splitAsStream(list(message))
                        .filter(source -> !NOT_SET_UP.matcher(source).find())
                        .map(source -> NAME.matcher(source).replaceFirst("$1: "))
                : Stream.empty();
    }

    private static String list(String message) {
        int list = message.indexOf(LIST);
        return list < 0 ? message : message.substring(list + LIST.length(), message.length() - 1);
    }
}
