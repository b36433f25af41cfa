package dev.forebay.tls;

import dev.forebay.model.ForebayException;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Key manager of a server or a client that reloads its certificate while it runs. Each handshake
 * that needs the certificate checks whether the files were replaced. If the new files are invalid,
 * it presents the previous certificate.
 *
 * <p>A renewal writes two files one after the other, so a handshake can see a certificate without
 * its key. Every later handshake tries again, even if the files' marks are unchanged, because an
 * error such as a wrong mode may be fixed without changing them. The log reports each such state
 * once.
 *
 * <p>One handshake calls this class several times and must get a key and a certificate that match.
 * Each loaded pair therefore has a name of its own, and the last two pairs are kept. Thread-safe.
 */
public final class RenewedKey extends X509ExtendedKeyManager {

    private static final Logger LOG = LoggerFactory.getLogger(RenewedKey.class);
    private static final int KEPT = 2;

    private final KeyFiles files;
    private List<FileMark> used;
    private List<FileMark> refused = List.of();
    private int reads = 1;
    private volatile List<Named> newestFirst;

    private record Named(String name, CertifiedKey key) {}

    private RenewedKey(KeyFiles files, List<FileMark> used, CertifiedKey first) {
        this.files = files;
        this.used = used;
        this.newestFirst = List.of(new Named("1", first));
    }

    /**
     * Reads the files for the first time.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} with the setting, its value and the rule
     */
    public static RenewedKey open(KeyFiles files) {
        List<FileMark> used = look(files);
        return new RenewedKey(files, used, CertifiedKey.read(files));
    }

    /** Returns how long the certificate in the files is still valid; negative if it has expired. */
    public Duration left() {
        // Handshakes that resume a session do not check the files.
        renewIfChanged();
        return Duration.between(Instant.now(), expiry());
    }

    private Instant expiry() {
        return newest().key().certificate().getNotAfter().toInstant();
    }

    private Named newest() {
        return newestFirst.getFirst();
    }

    private synchronized void renewIfChanged() {
        List<FileMark> now = look(files);
        if (now.equals(used)) {
            return;
        }
        try {
            CertifiedKey renewed = CertifiedKey.read(files);
            List<Named> keys = new ArrayList<>(List.of(new Named(++reads + "", renewed)));
            keys.addAll(newestFirst.subList(0, Math.min(KEPT - 1, newestFirst.size())));
            newestFirst = List.copyOf(keys);
            used = now;
            LOG.info(
                    "{}certificate: using a new certificate, valid until {}",
                    files.prefix(),
                    expiry());
        } catch (ForebayException e) {
            if (!now.equals(refused)) {
                LOG.warn(
                        "Cannot use the new certificate, so the old one, valid until {}, stays "
                                + "in use: {}",
                        expiry(),
                        e.getMessage());
                refused = now;
            }
        }
    }

    private static List<FileMark> look(KeyFiles files) {
        return List.of(FileMark.of(files.certificate()), FileMark.of(files.key()));
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
        return newestOf(List.of(keyType));
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, SSLEngine engine) {
        // Ignores the issuers: a server that does not trust the certificate reports that itself.
        return newestOf(List.of(keyTypes));
    }

    private @Nullable String newestOf(List<String> keyTypes) {
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

    /** Never called: connections use engines, not sockets. */
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
