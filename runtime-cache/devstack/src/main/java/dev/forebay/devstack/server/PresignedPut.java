package dev.forebay.devstack.server;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs the address for the upload of an object by AWS Signature Version 4 in the query. The
 * devstack therefore needs no library for S3.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html">the
 *     protocol</a>
 */
record PresignedPut(URI endpoint, String region, String accessKey, String secretKey) {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final int DAY_LENGTH = 8;
    private static final String ALGORITHM = "AWS4-HMAC-SHA256";

    /**
     * Returns the address, which is valid for 15 minutes.
     *
     * @param path bucket and key, of characters that need no escape in a URI
     */
    URI address(String path, Instant now) {
        String time = TIME.format(now);
        String day = time.substring(0, DAY_LENGTH);
        String scope = String.join("/", day, region, "s3", "aws4_request");
        String query =
                "X-Amz-Algorithm=%s&X-Amz-Credential=%s&X-Amz-Date=%s&X-Amz-Expires=900&X-Amz-SignedHeaders=host"
                        .formatted(ALGORITHM, (accessKey + "/" + scope).replace("/", "%2F"), time);
        String request =
                String.join(
                        "\n",
                        "PUT",
                        "/" + path,
                        query,
                        "host:" + endpoint.getAuthority(),
                        "",
                        "host",
                        "UNSIGNED-PAYLOAD");
        String toSign = String.join("\n", ALGORITHM, time, scope, sha256(request));
        byte[] key = ("AWS4" + secretKey).getBytes(StandardCharsets.UTF_8);
        for (String part : new String[] {day, region, "s3", "aws4_request"}) {
            key = hmac(key, part);
        }
        String signature = HexFormat.of().formatHex(hmac(key, toSign));
        return endpoint.resolve("/%s?%s&X-Amz-Signature=%s".formatted(path, query, signature));
    }

    private static String sha256(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
