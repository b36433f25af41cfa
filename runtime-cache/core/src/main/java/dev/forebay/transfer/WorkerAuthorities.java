package dev.forebay.transfer;

import dev.forebay.model.ForebayException;
import dev.forebay.tls.RenewedTrust;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;

/**
 * The certificate authorities whose signature on a worker's certificate counts, and no others, when
 * {@code forebay.worker-ca} is set. Their file may be replaced. Safe for use by many threads.
 */
public final class WorkerAuthorities {

    private final Path file;
    private final SSLContext context;

    private WorkerAuthorities(Path file, SSLContext context) {
        this.file = file;
        this.context = context;
    }

    /**
     * Reads certificates in PEM, one or more after one another.
     *
     * @param setting the name under which the file was given, for the message
     * @throws ForebayException {@code INVALID_ARGUMENT} if the file cannot be read or holds no
     *     certificate
     */
    public static WorkerAuthorities read(String setting, Path file) {
        return new WorkerAuthorities(file, new RenewedTrust(setting, file).context());
    }

    /** For connections to workers. */
    SSLContext context() {
        return context;
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
