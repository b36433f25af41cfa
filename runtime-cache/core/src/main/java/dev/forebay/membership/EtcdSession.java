package dev.forebay.membership;

import static io.etcd.jetcd.common.exception.ErrorCode.NOT_FOUND;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.membership.RegionTable.Fingerprint;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.options.PutOption;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Blocking calls to etcd with one common deadline.
 *
 * <p>All throw {@link ForebayException} with {@code UNAVAILABLE} if there is no answer in time, and
 * leave it open whether the call took effect.
 */
final class EtcdSession {

    private static final GetOption PREFIX = GetOption.builder().isPrefix(true).build();

    private final Client client;
    private final long deadlineNanos;

    EtcdSession(Client client, long deadlineNanos) {
        this.client = client;
        this.deadlineNanos = deadlineNanos;
    }

    static ByteSequence bytes(String text) {
        return ByteSequence.from(text, UTF_8);
    }

    Optional<KeyValue> get(String key) {
        return await(client.getKVClient().get(bytes(key))).getKvs().stream().findFirst();
    }

    GetResponse range(String prefix) {
        return await(client.getKVClient().get(bytes(prefix), PREFIX));
    }

    /** What etcd holds below {@code prefix}, without transferring it. */
    Fingerprint fingerprint(String prefix) {
        GetOption newest =
                GetOption.builder()
                        .isPrefix(true)
                        .withKeysOnly(true)
                        .withSortField(GetOption.SortTarget.MOD)
                        .withSortOrder(GetOption.SortOrder.DESCEND)
                        .withLimit(1)
                        .build();
        GetResponse answer = await(client.getKVClient().get(bytes(prefix), newest));
        long revision =
                answer.getKvs().stream().mapToLong(KeyValue::getModRevision).findFirst().orElse(0);
        return new Fingerprint(answer.getCount(), revision);
    }

    /** A key and everything below a prefix, both at the same moment. */
    record KeyAndRange(Optional<KeyValue> key, List<KeyValue> range) {}

    KeyAndRange getWithRange(String key, String prefix) {
        TxnResponse answer =
                await(
                        client.getKVClient()
                                .txn()
                                .Then(
                                        Op.get(bytes(key), GetOption.DEFAULT),
                                        Op.get(bytes(prefix), PREFIX))
                                .commit());
        return new KeyAndRange(
                answer.getGetResponses().get(0).getKvs().stream().findFirst(),
                answer.getGetResponses().get(1).getKvs());
    }

    /**
     * Applies {@code changes} at once if {@code key} still has this modification revision; 0 means
     * that it does not exist.
     *
     * @return whether it had
     */
    boolean ifUnchanged(String key, long revision, Op... changes) {
        return ifUnchanged(List.of(new Unchanged(key, revision)), changes);
    }

    /** A key that must still have this modification revision; 0 means that it does not exist. */
    record Unchanged(String key, long revision) {}

    /** As {@link #ifUnchanged(String, long, Op...)}, of several keys. */
    boolean ifUnchanged(List<Unchanged> keys, Op... changes) {
        Cmp[] unchanged =
                keys.stream()
                        .map(
                                each ->
                                        new Cmp(
                                                bytes(each.key),
                                                Cmp.Op.EQUAL,
                                                CmpTarget.modRevision(each.revision)))
                        .toArray(Cmp[]::new);
        return await(client.getKVClient().txn().If(unchanged).Then(changes).commit()).isSucceeded();
    }

    /** Applies changes at once, and says at which revision. */
    long apply(Op... changes) {
        return await(client.getKVClient().txn().Then(changes).commit()).getHeader().getRevision();
    }

    static Op put(String key, byte[] value) {
        return Op.put(bytes(key), ByteSequence.from(value), PutOption.DEFAULT);
    }

    static Op put(String key, byte[] value, long lease) {
        return Op.put(
                bytes(key),
                ByteSequence.from(value),
                PutOption.builder().withLeaseId(lease).build());
    }

    static Op delete(String key) {
        return Op.delete(bytes(key), DeleteOption.DEFAULT);
    }

    long grantLease(Duration life) {
        return await(client.getLeaseClient().grant(Math.max(1, life.toSeconds()))).getID();
    }

    /** Ends a lease and with it its keys; does nothing if it has ended. */
    void revokeLease(long lease) {
        found(client.getLeaseClient().revoke(lease));
    }

    /** Renews a lease; empty if it has ended. */
    Optional<Duration> renewLease(long lease) {
        return found(client.getLeaseClient().keepAliveOnce(lease))
                .map(renewed -> Duration.ofSeconds(renewed.getTTL()));
    }

    /** The time a lease has left; empty if it has ended. */
    Optional<Duration> leaseLeft(long lease) {
        return found(client.getLeaseClient().timeToLive(lease, LeaseOption.DEFAULT))
                .filter(left -> left.getTTL() >= 0)
                .map(left -> Duration.ofSeconds(left.getTTL()));
    }

    private <T> Optional<T> found(CompletableFuture<T> call) {
        try {
            return Optional.of(await(call));
        } catch (ForebayException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private <T> T await(CompletableFuture<T> call) {
        try {
            return call.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "etcd does not answer", e);
        } catch (ExecutionException e) {
            throw translated(e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        } finally {
            call.cancel(true);
        }
    }

    private static ForebayException translated(Throwable cause) {
        boolean notFound =
                cause instanceof EtcdException refused
                        ? refused.getErrorCode() == NOT_FOUND
                        : Status.fromThrowable(cause).getCode() == Status.Code.NOT_FOUND;
        return new ForebayException(
                notFound ? ErrorCode.NOT_FOUND : ErrorCode.UNAVAILABLE,
                "etcd: " + cause.getMessage(),
                cause);
    }
}
