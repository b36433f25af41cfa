package dev.forebay.workflows.version;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.input.VersionInput;
import dev.forebay.workflows.message.AbandonRequest;
import dev.forebay.workflows.message.CancelRequest;
import dev.forebay.workflows.message.EnsureRequest;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.RequestTerms;
import dev.forebay.workflows.message.ResumeRequest;
import dev.forebay.workflows.message.TtlRequest;
import dev.forebay.workflows.message.UnpinRequest;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Validates requests before they enter a history. Payloads come from the wire, so any field may be
 * missing, even if its type is not nullable. Every check throws what {@link Failures#rejection}
 * returns.
 */
final class RequestChecks {

    private static final Pattern PIN_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final int LONGEST_TEXT = 200;
    private static final int LONGEST_REASON = 1_000;
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(5);
    private static final Duration LONGEST_LEASE = Duration.ofDays(7);
    private static final int MOST_REGIONS = 64;
    private static final Duration SHORTEST_DEADLINE = Duration.ofSeconds(1);
    private static final Duration LONGEST_DEADLINE = Duration.ofDays(7);
    private static final Duration SHORTEST_TTL = Duration.ofSeconds(1);
    private static final Duration LONGEST_TTL = Duration.ofDays(3650);

    private RequestChecks() {}

    /** Fails the workflow if its input is invalid. */
    static void require(VersionInput input) {
        try {
            check(input);
        } catch (ForebayException invalid) {
            throw Failures.refusal(Failures.problem(invalid));
        }
    }

    private static void check(VersionInput input) {
        present("version", input.version());
        within("ttl", input.ttl(), SHORTEST_TTL, LONGEST_TTL);
    }

    static void check(EnsureRequest request) {
        present("region", request.region());
        present("terms", request.terms());
        check(request.terms());
        present("others", request.others());
        require(
                request.others().size() < MOST_REGIONS
                        && request.each().map(EnsureRequest::region).distinct().count()
                                == request.others().size() + 1L,
                "regions must have at most %d entries without duplicates".formatted(MOST_REGIONS));
        PinRequest pin = request.pin();
        if (pin != null) {
            check(pin);
            require(
                    pin.region().equals(request.region()),
                    "pin.region '%s' must be the region asked for, '%s'"
                            .formatted(pin.region(), request.region()));
        }
    }

    private static void check(RequestTerms terms) {
        double coverage = terms.minCoverage();
        require(
                coverage >= 0 && coverage <= 1,
                "min_coverage '%s' must be from 0 to 1".formatted(coverage));
        present("on_deadline", terms.onDeadline());
        present("priority", terms.urgency());
        if (terms.deadline() != null) {
            within("deadline", terms.deadline(), SHORTEST_DEADLINE, LONGEST_DEADLINE);
        }
    }

    static void check(PinRequest pin) {
        present("pin.region", pin.region());
        pinId("pin.id", pin.id());
        atMost("pin.holder", pin.holder(), LONGEST_TEXT);
        atMost("pin.reason", pin.reason(), LONGEST_TEXT);
        within("pin.lease", pin.lease(), SHORTEST_LEASE, LONGEST_LEASE);
        if (pin.job() != null) {
            pinId("pin.job", pin.job());
        }
    }

    static void check(UnpinRequest request) {
        present("region", request.region());
        pinId("id", request.id());
    }

    static void check(ResumeRequest request) {
        present("region", request.region());
    }

    static void check(EvictRequest request) {
        present("region", request.region());
        atMost("reason", request.reason(), LONGEST_REASON);
    }

    static void check(CancelRequest request) {
        present("request_id", request.updateId());
    }

    static void check(AbandonRequest request) {
        present("region", request.region());
        atMost("reason", request.reason(), LONGEST_TEXT);
    }

    static void check(TtlRequest request) {
        within("ttl", request.ttl(), SHORTEST_TTL, LONGEST_TTL);
    }

    private static void present(String field, @Nullable Object value) {
        require(value != null, field + " is missing");
    }

    private static void pinId(String field, @Nullable String id) {
        require(
                id != null && PIN_ID.matcher(id).matches(),
                "%s '%s' must be 1 to 64 characters of A-Z a-z 0-9 . _ -".formatted(field, id));
    }

    private static void atMost(String field, @Nullable String text, int characters) {
        require(
                text != null && text.length() <= characters,
                "%s must be at most %d characters".formatted(field, characters));
    }

    private static void within(
            String field, @Nullable Duration value, Duration shortest, Duration longest) {
        require(
                value != null && value.compareTo(shortest) >= 0 && value.compareTo(longest) <= 0,
                "%s '%s' must be between %s and %s".formatted(field, value, shortest, longest));
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw Failures.rejection(ErrorCode.INVALID_ARGUMENT, rule);
        }
    }
}
