package dev.forebay.worker.tls;

import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The key of a server whose files may be replaced while it runs. Each handshake looks whether they
 * were, and shows the new certificate if they can be used, else the one before.
 *
 * <p>Who renews writes two files, one after the other: a certificate without its key is met in
 * between, and is tried again at the next change. A handshake asks several times and must be given
 * one key and its certificate: names of keys are never used twice, and the last two are kept. Safe
 * for use by many threads.
 */
public final class RenewedKey extends X509ExtendedKeyManager {

    private static final Logger LOG = LoggerFactory.getLogger(RenewedKey.class);
    private static final int KEPT = 2;

    private final TlsFiles files;
    private List<String> seen;
    private int reads = 1;
    private volatile List<Named> newestFirst;

    private record Named(String name, ServerKey key) {}

    private RenewedKey(TlsFiles files, List<String> seen, ServerKey first) {
        this.files = files;
        this.seen = seen;
        this.newestFirst = List.of(new Named("1", first));
    }

    /**
     * Reads the files for the first time.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} with the property, its value and the rule
     */
    public static RenewedKey open(TlsFiles files) {
        List<String> seen = look(files);
        return new RenewedKey(files, seen, ServerKey.read(files));
    }

    /** When the certificate that is shown now ends. */
    public Instant expiry() {
        return newest().key().certificate().getNotAfter().toInstant();
    }

    private Named newest() {
        return newestFirst.getFirst();
    }

    private synchronized void renewIfChanged() {
        List<String> now = look(files);
        if (now.equals(seen)) {
            return;
        }
        seen = now;
        try {
            ServerKey renewed = ServerKey.read(files);
            List<Named> keys = new ArrayList<>(List.of(new Named(++reads + "", renewed)));
            keys.addAll(newestFirst.subList(0, Math.min(KEPT - 1, newestFirst.size())));
            newestFirst = List.copyOf(keys);
            LOG.info("Shows a new certificate, valid until {}", expiry());
        } catch (ForebayException e) {
            LOG.warn(
                    "Shows the certificate it has, valid until {}, for there is a new one that"
                            + " cannot be used: {}",
                    expiry(),
                    e.getMessage());
        }
    }

    /** What tells that a file was written or replaced. */
    private static List<String> look(TlsFiles files) {
        return List.of(look(files.certificate()), look(files.key()));
    }

    private static String look(Path file) {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return now.fileKey() + " " + now.size() + " " + now.lastModifiedTime();
        } catch (IOException e) {
            return "not there";
        }
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
        renewIfChanged();
        Named newest = newest();
        return newest.key().algorithm().equals(keyType) ? newest.name() : null;
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        ServerKey key = named(alias);
        return key == null ? null : key.chain();
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        ServerKey key = named(alias);
        return key == null ? null : key.key();
    }

    private @Nullable ServerKey named(String name) {
        for (Named each : newestFirst) {
            if (each.name().equals(name)) {
                return each.key();
            }
        }
        return null;
    }

    /** Not asked: the server has engines, no sockets. */
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
