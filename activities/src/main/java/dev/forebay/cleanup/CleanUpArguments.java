package dev.forebay.cleanup;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The arguments of {@link CleanUp}.
 *
 * @param region the region whose labels to remove
 * @param release {@code namespace/name} of the release whose Datasets lose their finalizers
 * @param timeout for all of it
 */
record CleanUpArguments(Optional<RegionName> region, Optional<String> release, Duration timeout) {

    private static final String REGION = "--node-labels=";
    private static final String RELEASE = "--datasets=";
    private static final String TIMEOUT = "--timeout-seconds=";

    /**
     * Parses the arguments.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT}, naming the argument and the rule
     */
    static CleanUpArguments parse(List<String> arguments) {
        Optional<RegionName> region = Optional.empty();
        Optional<String> release = Optional.empty();
        Duration timeout = Duration.ofMinutes(2);
        for (String argument : arguments) {
            String value = argument.substring(argument.indexOf('=') + 1);
            if (argument.startsWith(REGION)) {
                region = Optional.of(new RegionName(value));
            } else if (argument.startsWith(RELEASE) && value.matches("[^/]+/[^/]+")) {
                release = Optional.of(value);
            } else if (argument.startsWith(TIMEOUT) && value.matches("[1-9][0-9]{0,4}")) {
                timeout = Duration.ofSeconds(Long.parseLong(value));
            } else {
                throw new ForebayException(
                        ErrorCode.INVALID_ARGUMENT,
                        "%s: argument '%s' must be %sREGION, %sNAMESPACE/RELEASE or %sN, with N from 1 to 99999"
                                .formatted(CleanUp.NAME, argument, REGION, RELEASE, TIMEOUT));
            }
        }
        return new CleanUpArguments(region, release, timeout);
    }
}
