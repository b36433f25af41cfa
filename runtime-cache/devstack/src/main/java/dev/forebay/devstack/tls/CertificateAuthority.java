package dev.forebay.devstack.tls;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A certificate authority for this machine, and the certificates that it signs. It uses the JDK's
 * {@code keytool}. Not thread-safe.
 */
public final class CertificateAuthority {

    /** The names of a server at 127.0.0.1. */
    public static final String LOOPBACK = "ip:127.0.0.1,dns:localhost";

    private static final String AUTHORITY = "authority";
    private static final String PASSWORD = "not-a-secret";
    private static final List<String> EC = List.of("-keyalg", "EC", "-groupname", "secp256r1");

    /** Such a short process takes half the time without the second compiler. */
    private static final List<String> BRIEF =
            List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC");

    private static final int KEYTOOL_SECONDS = 60;

    private final Path directory;
    private final Path store;
    private final Path certificate;

    /**
     * A certificate and its key.
     *
     * @param certificate in PEM, followed by the authority's certificate
     * @param key in PEM (PKCS #8)
     */
    public record Issued(Path certificate, Path key) {}

    private CertificateAuthority(Path directory) {
        this.directory = directory;
        this.store = directory.resolve("keys.p12");
        this.certificate = directory.resolve("authority.pem");
    }

    /**
     * Creates a new authority.
     *
     * @param directory for its files; created if absent
     */
    public static CertificateAuthority in(Path directory) {
        try {
            Files.createDirectories(directory);
            CertificateAuthority authority = new CertificateAuthority(directory);
            Files.deleteIfExists(authority.store);
            authority.generate(
                    AUTHORITY, "Forebay devstack", EC, List.of("-ext", "bc:critical=ca:true"));
            Files.writeString(
                    authority.certificate, pem(authority.keys().getCertificate(AUTHORITY)));
            return authority;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new DevstackException("cannot create a certificate authority", e);
        }
    }

    /** Returns the authority's own certificate in PEM, for clients that must trust it. */
    public Path certificate() {
        return certificate;
    }

    /**
     * Signs a certificate that is valid for a day.
     *
     * @param name of the files, not used before with this authority
     * @param reachedAt the names of the server in keytool's format, such as {@link #LOOPBACK}
     */
    public Issued issue(String name, String reachedAt) {
        return issue(name, reachedAt, "-1M");
    }

    /**
     * Like {@link #issue(String, String)}, but valid for a day from another time on.
     *
     * @param from in keytool's format: {@code -3d} for three days ago
     */
    public Issued issue(String name, String reachedAt, String from) {
        generate(name, "worker", EC, signed(reachedAt, from));
        return written(name);
    }

    /** Like {@link #issue(String, String)}, with an RSA key of 2048 bits. */
    public Issued issueRsa(String name, String reachedAt) {
        generate(
                name,
                "worker",
                List.of("-keyalg", "RSA", "-keysize", "2048"),
                signed(reachedAt, "-1M"));
        return written(name);
    }

    private static List<String> signed(String reachedAt, String from) {
        return List.of("-signer", AUTHORITY, "-ext", "san=" + reachedAt, "-startdate", from);
    }

    /**
     * Signs a new certificate for an issued key, and replaces the old certificate.
     *
     * @param name of the issued certificate
     * @param reachedAt as in {@link #issue(String, String)}
     */
    public Issued renew(String name, String reachedAt) {
        String request = directory.resolve(name + ".csr").toString();
        String answer = directory.resolve(name + ".renewed").toString();
        keytool(List.of("-certreq", "-alias", name, "-file", request));
        keytool(
                List.of(
                        "-gencert",
                        "-alias",
                        AUTHORITY,
                        "-rfc",
                        "-infile",
                        request,
                        "-outfile",
                        answer,
                        "-ext",
                        "san=" + reachedAt,
                        "-startdate",
                        "-1M",
                        "-validity",
                        "1"));
        keytool(List.of("-importcert", "-noprompt", "-alias", name, "-file", answer));
        return written(name);
    }

    private Issued written(String name) {
        try {
            KeyStore keys = keys();
            StringBuilder chain = new StringBuilder();
            for (Certificate each : keys.getCertificateChain(name)) {
                chain.append(pem(each));
            }
            byte[] key = keys.getKey(name, PASSWORD.toCharArray()).getEncoded();
            Path keyFile = directory.resolve(name + ".key");
            Files.deleteIfExists(keyFile);
            Files.createFile(
                    keyFile,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            return new Issued(
                    Files.writeString(directory.resolve(name + ".pem"), chain),
                    Files.writeString(keyFile, pem("PRIVATE KEY", key)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new DevstackException("cannot create a certificate", e);
        }
    }

    /** Returns a context for connections of this process that trust only this authority. */
    public SSLContext context() {
        return context(null);
    }

    /** Returns the same context, with an issued certificate for a server of this process. */
    public SSLContext context(@Nullable String name) {
        try {
            KeyStore keys = keys();
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry(AUTHORITY, keys.getCertificate(AUTHORITY));
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            KeyManagerFactory shown =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            shown.init(only(name, keys), PASSWORD.toCharArray());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(shown.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new DevstackException("cannot use the certificate authority", e);
        }
    }

    private static KeyStore only(@Nullable String name, KeyStore keys)
            throws IOException, GeneralSecurityException {
        KeyStore one = KeyStore.getInstance("PKCS12");
        one.load(null, null);
        if (name != null) {
            char[] password = PASSWORD.toCharArray();
            one.setKeyEntry(
                    name, keys.getKey(name, password), password, keys.getCertificateChain(name));
        }
        return one;
    }

    private KeyStore keys() throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    private void generate(String alias, String name, List<String> key, List<String> more) {
        List<String> generate = new ArrayList<>();
        generate.addAll(List.of("-genkeypair", "-alias", alias, "-dname", "CN=" + name));
        generate.addAll(key);
        generate.addAll(List.of("-validity", "1"));
        generate.addAll(more);
        keytool(generate);
    }

    private void keytool(List<String> what) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(BRIEF);
        command.addAll(what);
        command.addAll(List.of("-keystore", store.toString(), "-storetype", "PKCS12"));
        command.addAll(List.of("-storepass", PASSWORD));
        run(command);
    }

    private static void run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new DevstackException("keytool failed: " + output);
            }
        } catch (IOException e) {
            throw new DevstackException("cannot run keytool", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DevstackException("interrupted", e);
        }
    }

    private static String pem(Certificate certificate) throws CertificateEncodingException {
        return pem("CERTIFICATE", certificate.getEncoded());
    }

    private static String pem(String what, byte[] bytes) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(what, text, what);
    }
}
