package dev.forebay.membership.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Visits every state that a few actors can produce in an etcd, in every order in which their calls
 * can arrive.
 *
 * <p>An actor is a program whose next call depends only on the answers that it got. A state is thus
 * the content of etcd and the answers of each actor. To make an actor take its next step, the
 * search runs it again from the start. The actor gets its known answers, until it makes a call
 * without an answer. A state that is reached in two ways is visited once.
 */
final class Exploration {

    /** The outcome of an actor that was not refused. */
    static final String DONE = "done";

    /** More states than a test may take, and far more than these tests need. */
    private static final int MOST_STATES = 2_000_000;

    /** A program that makes calls to etcd. It may run often, and must not keep state. */
    interface Actor {
        void act(EtcdAccess etcd);
    }

    /** The answer to a call. Two answers are equal if their texts are. */
    record Answer(String text, @Nullable Object value, boolean lost) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Answer answer
                    && answer.text.equals(text)
                    && answer.lost == lost;
        }

        @Override
        public int hashCode() {
            return text.hashCode();
        }

        @Override
        public String toString() {
            return lost ? text + " (lost)" : text;
        }
    }

    /**
     * A state of the search.
     *
     * @param answers the answers that each actor got so far
     * @param outcomes the outcome of each actor; null while it runs
     * @param ended how many leases have expired
     * @param lost how many calls or answers were lost
     */
    record State(
            ModelEtcd etcd,
            List<List<Answer>> answers,
            List<@Nullable String> outcomes,
            int ended,
            int lost) {

        String of(int actor) {
            return String.valueOf(outcomes.get(actor));
        }

        private State with(
                int actor,
                ModelEtcd next,
                List<Answer> told,
                @Nullable String outcome,
                int losses) {
            List<List<Answer>> allTold = new ArrayList<>(answers);
            allTold.set(actor, List.copyOf(told));
            List<@Nullable String> allOutcomes = new ArrayList<>(outcomes);
            allOutcomes.set(actor, outcome);
            return new State(next, allTold, allOutcomes, ended, lost + losses);
        }
    }

    private enum Fault {
        NONE,
        /** The call takes effect, and the answer is lost. */
        ANSWER_LOST,
        /** The call never arrives. */
        CALL_LOST
    }

    /** The program has made a call for which there is no answer yet. */
    private static final class Suspended extends Error {
        private static final long serialVersionUID = 1;

        Suspended() {
            super("suspended", null, false, false);
        }
    }

    private final ModelEtcd start;
    private final UnaryOperator<Change[]> etcdsOwnIdea;
    private final List<Actor> actors;
    private int leasesToEnd;
    private int answersToLose;
    private int ends;

    /**
     * @param etcdsOwnIdea how etcd changes the changes of a transaction: not at all, except in a
     *     test of the search itself
     */
    Exploration(ModelEtcd start, UnaryOperator<Change[]> etcdsOwnIdea, Actor... actors) {
        this.start = start;
        this.etcdsOwnIdea = etcdsOwnIdea;
        this.actors = List.of(actors);
    }

    /** Also lets up to so many leases expire, each at any moment. */
    Exploration endingLeases(int count) {
        leasesToEnd = count;
        return this;
    }

    /** Also loses up to so many calls or their answers. */
    Exploration losingAnswers(int count) {
        answersToLose = count;
        return this;
    }

    /** Returns the number of different states in which all actors have ended. */
    int ends() {
        return ends;
    }

    /** Returns the etcd that results when one actor runs alone. */
    static ModelEtcd alone(ModelEtcd etcd, Actor actor) {
        Exploration one = new Exploration(etcd, changes -> changes, actor);
        List<ModelEtcd> results = new ArrayList<>();
        one.run(_ -> {}, end -> results.add(end.etcd()));
        return results.getFirst();
    }

    /**
     * Visits all states.
     *
     * @param always checks each state
     * @param atTheEnd checks the states in which all actors have ended
     */
    void run(Consumer<State> always, Consumer<State> atTheEnd) {
        State first =
                new State(
                        start,
                        Collections.nCopies(actors.size(), List.of()),
                        new ArrayList<>(Collections.nCopies(actors.size(), null)),
                        0,
                        0);
        Set<State> seen = new HashSet<>(Set.of(first));
        Deque<State> open = new ArrayDeque<>(List.of(first));
        while (!open.isEmpty()) {
            State state = open.removeLast();
            always.accept(state);
            if (!state.outcomes.contains(null)) {
                ends++;
                atTheEnd.accept(state);
            }
            for (State next : next(state)) {
                if (seen.add(next)) {
                    open.addLast(next);
                }
            }
            if (seen.size() > MOST_STATES) {
                throw new AssertionError("more than %,d states".formatted(MOST_STATES));
            }
        }
    }

    private List<State> next(State state) {
        List<State> all = new ArrayList<>();
        for (int actor = 0; actor < actors.size(); actor++) {
            if (state.outcomes.get(actor) == null) {
                all.add(step(state, actor, Fault.NONE));
                if (state.lost < answersToLose) {
                    all.add(step(state, actor, Fault.ANSWER_LOST));
                    all.add(step(state, actor, Fault.CALL_LOST));
                }
            }
        }
        if (state.ended < leasesToEnd) {
            for (long lease : state.etcd.leases()) {
                all.add(
                        new State(
                                state.etcd.end(lease),
                                state.answers,
                                state.outcomes,
                                state.ended + 1,
                                state.lost));
            }
        }
        return all;
    }

    private State step(State state, int actor, Fault fault) {
        Step step = new Step(state.etcd, state.answers.get(actor), fault);
        String outcome = null;
        try {
            actors.get(actor).act(step);
            outcome = DONE;
        } catch (Suspended goesOn) {
            // The actor has taken one step and waits for its next turn.
        } catch (ForebayException refused) {
            outcome = refused.code().name();
        }
        return state.with(actor, step.etcd, step.told, outcome, fault == Fault.NONE ? 0 : 1);
    }

    /** One more call of one actor. */
    private final class Step implements EtcdAccess, EtcdCalls {
        private ModelEtcd etcd;
        private final List<Answer> told;
        private final int known;
        private final Fault fault;
        private int calls;

        Step(ModelEtcd etcd, List<Answer> told, Fault fault) {
            this.etcd = etcd;
            this.told = new ArrayList<>(told);
            this.known = told.size();
            this.fault = fault;
        }

        /**
         * Retries as {@link EtcdConnection} does, but without a limit: the number of faults is
         * bounded.
         */
        @Override
        public <T> T with(Function<EtcdCalls, T> work) {
            while (true) {
                try {
                    return work.apply(this);
                } catch (ForebayException e) {
                    if (e.code() != ErrorCode.UNAVAILABLE) {
                        throw e;
                    }
                }
            }
        }

        /**
         * Makes a call: returns the known answer, or makes the one new call of this step.
         *
         * @param effect changes {@link #etcd} and answers
         */
        private Object call(Effect effect) {
            int number = calls++;
            if (number > known) {
                throw new Suspended();
            }
            if (number == known) {
                told.add(perform(effect));
            }
            Answer answer = told.get(number);
            Object value = answer.value();
            if (answer.lost() || value == null) {
                throw new ForebayException(ErrorCode.UNAVAILABLE, "lost");
            }
            return value;
        }

        private Answer perform(Effect effect) {
            if (fault == Fault.CALL_LOST) {
                return new Answer("nothing", null, true);
            }
            Object value = effect.take();
            return fault == Fault.ANSWER_LOST
                    ? new Answer("nothing", null, true)
                    : new Answer(shown(value), value, false);
        }

        private interface Effect {
            Object take();
        }

        @Override
        @SuppressWarnings("unchecked")
        public Optional<KeyValue> get(String key) {
            return (Optional<KeyValue>) call(() -> etcd.get(key));
        }

        @Override
        public KeyAndRange getWithRange(String key, String prefix) {
            return (KeyAndRange) call(() -> new KeyAndRange(etcd.get(key), etcd.range(prefix)));
        }

        @Override
        public boolean ifUnchanged(String key, long revision, Change... changes) {
            Object answer =
                    call(
                            () -> {
                                if (!etcd.isUnchanged(key, revision)) {
                                    return false;
                                }
                                Change[] applied = etcdsOwnIdea.apply(changes);
                                if (!etcd.hasLeasesOf(applied)) {
                                    return "no such lease";
                                }
                                etcd = etcd.apply(applied);
                                return true;
                            });
            if (answer instanceof Boolean unchanged) {
                return unchanged;
            }
            throw new ForebayException(ErrorCode.NOT_FOUND, String.valueOf(answer));
        }

        /** The search does not cover workers. */
        @Override
        public long apply(Change... changes) {
            throw new UnsupportedOperationException("changes that depend on nothing");
        }

        @Override
        public long grantLease(Duration life) {
            return (Long)
                    call(
                            () -> {
                                long lease = etcd.nextLease();
                                etcd = etcd.grant();
                                return lease;
                            });
        }

        @Override
        public void revokeLease(long lease) {
            Object _ =
                    call(
                            () -> {
                                etcd = etcd.end(lease);
                                return "revoked";
                            });
        }

        @Override
        @SuppressWarnings("unchecked")
        public Optional<Duration> renewLease(long lease) {
            return (Optional<Duration>) call(() -> left(lease));
        }

        @Override
        @SuppressWarnings("unchecked")
        public Optional<Duration> leaseLeft(long lease) {
            return (Optional<Duration>) call(() -> left(lease));
        }

        private Optional<Duration> left(long lease) {
            return etcd.leases().contains(lease)
                    ? Optional.of(Duration.ofSeconds(1))
                    : Optional.empty();
        }
    }

    /**
     * Returns the content of an answer as text, because the classes of etcd's client have no such
     * equality.
     */
    private static String shown(Object value) {
        return switch (value) {
            case KeyValue pair ->
                    "%s=%s@%d/%d"
                            .formatted(
                                    pair.getKey().toString(UTF_8),
                                    pair.getValue().toString(UTF_8),
                                    pair.getModRevision(),
                                    pair.getLease());
            case Optional<?> perhaps -> perhaps.map(Exploration::shown).orElse("-");
            case EtcdCalls.KeyAndRange(Optional<KeyValue> key, List<KeyValue> range) ->
                    shown(key) + range.stream().map(Exploration::shown).toList();
            default -> value.toString();
        };
    }
}
