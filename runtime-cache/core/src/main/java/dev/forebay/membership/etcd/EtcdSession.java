package dev.forebay.membership.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.membership.rows.RegionTable.Fingerprint;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Makes blocking calls to etcd with one common deadline.
 *
 * <p>All calls throw {@link ForebayException} with {@code UNAVAILABLE} if etcd does not answer in
 * time. The call may have taken effect then. {@link EtcdFailure} maps all other failures.
 */
final class EtcdSession implements EtcdCalls {

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

    @Override
    public Optional<KeyValue> get(String key) {
        return await(client.getKVClient().get(bytes(key))).getKvs().stream().findFirst();
    }

    GetResponse range(String prefix) {
        return await(client.getKVClient().get(bytes(prefix), PREFIX));
    }

    /**
     * Returns the first key at or after {@code from} and before {@code before}, without its value.
     */
    Optional<ByteSequence> firstKey(String from, String before) {
        GetOption first =
                GetOption.builder()
                        .withRange(bytes(before))
                        .withKeysOnly(true)
                        .withLimit(1)
                        .build();
        return await(client.getKVClient().get(bytes(from), first)).getKvs().stream()
                .map(KeyValue::getKey)
                .findFirst();
    }

    /**
     * Returns the number of keys below {@code prefix} and the newest revision among them, without
     * reading the rows.
     */
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

    @Override
    public KeyAndRange getWithRange(String key, String prefix) {
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

    @Override
    public boolean ifUnchanged(String key, long revision, Change... changes) {
        return ifUnchanged(List.of(new Unchanged(key, revision)), changes);
    }

    /**
     * A condition: the key still has this modification revision; 0 means that it does not exist.
     */
    record Unchanged(String key, long revision) {}

    /**
     * Applies changes as {@link #ifUnchanged(String, long, Change...)} does, on condition of
     * several keys.
     */
    boolean ifUnchanged(List<Unchanged> keys, Change... changes) {
        Cmp[] unchanged =
                keys.stream()
                        .map(
                                each ->
                                        new Cmp(
                                                bytes(each.key),
                                                Cmp.Op.EQUAL,
                                                CmpTarget.modRevision(each.revision)))
                        .toArray(Cmp[]::new);
        return await(client.getKVClient().txn().If(unchanged).Then(ops(changes)).commit())
                .isSucceeded();
    }

    @Override
    public long apply(Change... changes) {
        return await(client.getKVClient().txn().Then(ops(changes)).commit())
                .getHeader()
                .getRevision();
    }

    private static Op[] ops(Change... changes) {
        return Arrays.stream(changes).map(Change::toOp).toArray(Op[]::new);
    }

    @Override
    public long grantLease(Duration life) {
        return await(client.getLeaseClient().grant(Math.max(1, life.toSeconds()))).getID();
    }

    @Override
    public void revokeLease(long lease) {
        found(client.getLeaseClient().revoke(lease));
    }

    @Override
    public Optional<Duration> renewLease(long lease) {
        return found(client.getLeaseClient().keepAliveOnce(lease))
                .map(renewed -> Duration.ofSeconds(renewed.getTTL()));
    }

    @Override
    public Optional<Duration> leaseLeft(long lease) {
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
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "etcd did not answer in time: check its members, and that this machine reaches them",
                    e);
        } catch (ExecutionException e) {
            throw EtcdFailure.of(e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "interrupted while waiting for etcd: retry", e);
        } finally {
            call.cancel(true);
        }
    }
}
