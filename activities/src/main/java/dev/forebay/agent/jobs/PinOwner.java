package dev.forebay.agent.jobs;

import dev.forebay.membership.Pin;

/**
 * The Kubernetes object that owns a pin: the pin ends with it. It is the topmost owner of a pod
 * whose kind Forebay knows, so that all pods of a gang share one pin. A pod without such an owner
 * holds its own pin.
 *
 * @param uid from the API server, never used twice
 */
public record PinOwner(String kind, String namespace, String name, String uid) {

    private static final String PREFIX = "job-";

    /** The maximum number of characters of a pin's holder. */
    private static final int LONGEST = 200;

    /** Returns the id of the holder's one pin on each version. */
    public String pinId() {
        return pinId(uid);
    }

    /**
     * Returns whether a pin with this id was taken for this Job by {@link #pinId}, and not by the
     * Job itself.
     */
    public static boolean isTakenFor(String uid, String pinId) {
        return pinId(uid).equals(pinId);
    }

    /** Returns whether a pin was taken for an object of this kind by {@link #pinId}. */
    static boolean isOfKind(String kind, Pin pin) {
        return pin.job() != null
                && isTakenFor(pin.job(), pin.id())
                && pin.holder().startsWith(kind + " ");
    }

    private static String pinId(String uid) {
        return PREFIX + uid;
    }

    /** Returns a text for people: {@code Job default/train-7}. */
    @Override
    public String toString() {
        String text = "%s %s/%s".formatted(kind, namespace, name);
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST);
    }
}
