package dev.forebay.agent.jobs;

import dev.forebay.membership.Pin;

/**
 * Whose life a pin has: the topmost of a pod's owners of which Forebay sees the end, so that all
 * pods of a gang share one pin; the pod itself if it has none.
 *
 * @param uid as the API server made it up, never used twice
 */
public record Holder(String kind, String namespace, String name, String uid) {

    private static final String PREFIX = "job-";

    /** As much as a pin's holder may have. */
    private static final int LONGEST = 200;

    /** The id of the one pin that it has on each version. */
    public String pinId() {
        return pinId(uid);
    }

    /** Whether a pin of this id was taken for this Job by {@link #pinId}, and not by the Job. */
    public static boolean isTakenFor(String uid, String pinId) {
        return pinId(uid).equals(pinId);
    }

    /** Whether a pin was taken for something of this kind by {@link #pinId}. */
    static boolean isOfKind(String kind, Pin pin) {
        return pin.job() != null
                && isTakenFor(pin.job(), pin.id())
                && pin.holder().startsWith(kind + " ");
    }

    private static String pinId(String uid) {
        return PREFIX + uid;
    }

    /** For people: {@code Job default/train-7}. */
    @Override
    public String toString() {
        String text = "%s %s/%s".formatted(kind, namespace, name);
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST);
    }
}
