package dev.forebay.agent.admission;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Creates a key and a self-signed certificate by the JVM's {@code keytool}, because the Java API
 * can read certificates but not write them.
 */
final class WebhookKeyGenerator {

    private static final String ALIAS = "webhook";
    private static final String PASSWORD = "STORE_PASSWORD";
    private static final int TIMEOUT_SECONDS = 60;
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");

    private WebhookKeyGenerator() {}

    /** A key and its certificate, in PEM. */
    record GeneratedKey(String key, String certificate) {}

    /**
     * Creates a key with a certificate that is valid from an hour ago, because clocks differ.
     *
     * @param folder an empty folder that no other process uses
     * @param name the DNS name or IP address in the certificate
     * @param life in whole days, at least one
     * @throws ForebayException {@code INTERNAL} if there is no working {@code keytool}
     */
    static GeneratedKey make(Path folder, String name, Duration life) {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        String password = HexFormat.of().formatHex(random);
        Path store = folder.resolve("store.p12");
        try {
            run(folder, store, name, life, password);
            return read(store, password.toCharArray());
        } catch (IOException | GeneralSecurityException e) {
            throw new ForebayException(
                    ErrorCode.INTERNAL, "cannot make a certificate: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.INTERNAL, "interrupted", e);
        }
    }

    private static void run(Path folder, Path store, String name, Duration life, String password)
            throws IOException, InterruptedException {
        Path log = folder.resolve("keytool.log");
        ProcessBuilder keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                ALIAS,
                                "-keyalg",
                                "EC",
                                "-groupname",
                                "secp256r1",
                                "-dname",
                                "CN=forebay",
                                "-ext",
                                "SAN=%s:%s".formatted(kind(name), name),
                                "-ext",
                                "EKU=serverAuth",
                                "-startdate",
                                "-1H",
                                "-validity",
                                Long.toString(life.toDays()),
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                store.toString(),
                                "-storepass:env",
                                PASSWORD)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile());
        keytool.environment().put(PASSWORD, password);
        Process process = keytool.start();
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("keytool did not end in time");
        }
        if (process.exitValue() != 0) {
            throw new IOException("keytool: " + Files.readString(log));
        }
    }

    private static String kind(String name) {
        return ADDRESS.matcher(name).matches() ? "ip" : "dns";
    }

    private static GeneratedKey read(Path file, char[] password)
            throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, password);
        }
        return new GeneratedKey(
                pem("PRIVATE KEY", store.getKey(ALIAS, password).getEncoded()),
                pem("CERTIFICATE", store.getCertificate(ALIAS).getEncoded()));
    }

    private static String pem(String what, byte[] bytes) {
        String text =
                Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(bytes);
        return String.join(
                "\n",
                List.of("-----BEGIN " + what + "-----", text, "-----END " + what + "-----", ""));
    }
}
