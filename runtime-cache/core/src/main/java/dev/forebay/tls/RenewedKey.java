package dev.forebay.tls;

import dev.forebay.model.ForebayException;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The key of a server or a client whose files may be replaced while it runs. Each handshake that
 * asks for a certificate looks whether they were, and shows the new one if they can be used, else
 * the one before.
 *
 * <p>Who renews writes two files, one after the other: a certificate without its key is met in
 * between, and is tried again at the next change. A handshake asks several times and must be given
 * one key and its certificate: names of keys are never used twice, and the last two are kept. Safe
 * for use by many threads.
 */
public final class RenewedKey extends X509ExtendedKeyManager {

    private static final Logger LOG = LoggerFactory.getLogger(RenewedKey.class);
    private static final int KEPT = 2;

    private final KeyFiles files;
    private List<FileMark> seen;
    private int reads = 1;
    private volatile List<Named> newestFirst;

    private record Named(String name, CertifiedKey key) {}

    private RenewedKey(KeyFiles files, List<FileMark> seen, CertifiedKey first) {
        this.files = files;
        this.seen = seen;
        this.newestFirst = List.of(new Named("1", first));
    }

    /**
     * Reads the files for the first time.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} with the setting, its value and the rule
     */
    public static RenewedKey open(KeyFiles files) {
        List<FileMark> seen = look(files);
        return new RenewedKey(files, seen, CertifiedKey.read(files));
    }

    /** When the certificate that is shown now ends. */
    public Instant expiry() {
        return newest().key().certificate().getNotAfter().toInstant();
    }

    private Named newest() {
        return newestFirst.getFirst();
    }

    private synchronized void renewIfChanged() {
        List<FileMark> now = look(files);
        if (now.equals(seen)) {
            return;
        }
        seen = now;
        try {
            CertifiedKey renewed = CertifiedKey.read(files);
            List<Named> keys = new ArrayList<>(List.of(new Named(++reads + "", renewed)));
            keys.addAll(newestFirst.subList(0, Math.min(KEPT - 1, newestFirst.size())));
            newestFirst = List.copyOf(keys);
            LOG.info("{}certificate: shows a new one, valid until {}", files.prefix(), expiry());
        } catch (ForebayException e) {
            LOG.warn(
                    "Shows the certificate it has, valid until {}, for there is a new one that"
                            + " cannot be used: {}",
                    expiry(),
                    e.getMessage());
        }
    }

    private static List<FileMark> look(KeyFiles files) {
        return List.of(FileMark.of(files.certificate()), FileMark.of(files.key()));
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
        return newestOf(Set.of(keyType));
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, SSLEngine engine) {
        // Whatever the issuers: a server that does not know ours then says so.
        return newestOf(Set.of(keyTypes));
    }

    private @Nullable String newestOf(Set<String> keyTypes) {
        renewIfChanged();
        Named newest = newest();
        return keyTypes.contains(newest.key().algorithm()) ? newest.name() : null;
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        CertifiedKey key = named(alias);
        return key == null ? null : key.chain();
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        CertifiedKey key = named(alias);
        return key == null ? null : key.key();
    }

    private @Nullable CertifiedKey named(String name) {
        for (Named each : newestFirst) {
            if (each.name().equals(name)) {
                return each.key();
            }
        }
        return null;
    }

    /** Not asked: all have engines, no sockets. */
    @Override
    public @Nullable String chooseServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }
}
