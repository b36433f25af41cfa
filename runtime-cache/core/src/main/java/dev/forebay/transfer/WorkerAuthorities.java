package dev.forebay.transfer;

import dev.forebay.model.ForebayException;
import dev.forebay.tls.RenewedTrust;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;

/**
 * The only certificate authorities that are trusted for workers, when {@code forebay.worker-ca} is
 * set. Their file may be replaced at any time. Safe for use by many threads.
 */
public final class WorkerAuthorities {

    private final Path file;
    private final SSLContext context;

    private WorkerAuthorities(Path file, SSLContext context) {
        this.file = file;
        this.context = context;
    }

    /**
     * Reads one or more certificates in PEM.
     *
     * @param setting the name of the setting with the file, for the message
     * @throws ForebayException {@code INVALID_ARGUMENT} if the file cannot be read or has no
     *     certificate
     */
    public static WorkerAuthorities read(String setting, Path file) {
        return new WorkerAuthorities(file, new RenewedTrust(setting, file).context());
    }

    /** Returns the context for connections to workers. */
    SSLContext context() {
        return context;
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
