package dev.forebay.worker.http;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.transfer.WorkerProtocol;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads and checks the parameters of a request. */
final class Parameters {

    private static final String DIGEST_RULE = "must be 64 lower-case hexadecimal characters";

    private Parameters() {}

    static PackId pack(RoutingContext context) {
        return new PackId(digest("pack", context.pathParam("p")));
    }

    static Digest manifestInPath(RoutingContext context) {
        return digest("manifest", context.pathParam("m"));
    }

    static DatasetVersion version(RoutingContext context) {
        List<String> values = context.queryParam(WorkerProtocol.VERSION_PARAMETER);
        String text = values.size() == 1 ? values.getFirst() : null;
        try {
            return DatasetVersion.parse(String.valueOf(text));
        } catch (ForebayException e) {
            throw Refusal.invalid("version", text, "must have the form namespace/name@version");
        }
    }

    static Digest manifestInQuery(RoutingContext context) {
        List<String> values = context.queryParam(WorkerProtocol.MANIFEST_PARAMETER);
        if (values.size() > 1) {
            throw Refusal.invalid("manifest", String.join(", ", values), "must be given once");
        }
        return digest("manifest", values.isEmpty() ? null : values.getFirst());
    }

    /** Returns whether a fill is ahead of a reader. */
    static boolean isAhead(RoutingContext context) {
        List<String> values = context.queryParam(WorkerProtocol.AHEAD_PARAMETER);
        String text = values.isEmpty() ? "false" : String.join(", ", values);
        if (!Set.of("true", "false").contains(text)) {
            throw Refusal.invalid("ahead", text, "must be true or false, given once");
        }
        return text.equals("true");
    }

    static int chunkIndex(RoutingContext context) {
        String text = context.pathParam("i");
        String rule = "must be a whole number from 0 to " + Integer.MAX_VALUE;
        if (text == null || text.isEmpty() || text.length() > 10 || !digits(text)) {
            throw Refusal.invalid("index", text, rule);
        }
        long index = Long.parseLong(text);
        if (index > Integer.MAX_VALUE) {
            throw Refusal.invalid("index", text, rule);
        }
        return (int) index;
    }

    /** Returns an integer parameter in a range, or the minimum if it is absent. */
    static long number(RoutingContext context, String name, long least, long most) {
        List<String> values = context.queryParam(name);
        String text = values.isEmpty() ? Long.toString(least) : values.getFirst();
        String rule = "must be a whole number from %d to %d".formatted(least, most);
        try {
            long value = Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw Refusal.invalid(name, text, rule);
        }
        throw Refusal.invalid(name, text, rule);
    }

    static UUID account(RoutingContext context) {
        String text = String.valueOf(context.pathParam("a"));
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw Refusal.invalid("account", text, "must be a UUID");
        }
    }

    static List<RangeHeader> ranges(RoutingContext context) {
        return RangeHeader.parseAll(context.request().getHeader("Range"));
    }

    static boolean onlyIfCached(RoutingContext context) {
        String header = context.request().getHeader("Cache-Control");
        return header != null
                && header.toLowerCase(Locale.ROOT).contains(WorkerProtocol.ONLY_IF_CACHED);
    }

    /** Returns whether another worker reads, to store its own copy. */
    static boolean isOfWorker(RoutingContext context) {
        return WorkerProtocol.WORKER_READS.equals(
                context.request().getHeader(WorkerProtocol.READER_HEADER));
    }

    static boolean digits(String text) {
        return text.chars().allMatch(character -> character >= '0' && character <= '9');
    }

    private static Digest digest(String field, @Nullable String value) {
        if (value == null) {
            throw Refusal.invalid(field, null, DIGEST_RULE);
        }
        try {
            return new Digest(value);
        } catch (ForebayException e) {
            throw Refusal.invalid(field, value, DIGEST_RULE);
        }
    }
}
