package dev.forebay.lake.s3;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.sts.model.StsException;
import software.amazon.awssdk.utils.DateUtils;

/** Reads what the answer to a failed request says, of the store or of the token service. */
record S3Answer(AwsServiceException error) {

    /** Longer texts of a store are truncated. */
    private static final int MOST_SAID = 300;

    /** S3 refuses requests whose time differs from its own by more than 15 minutes. */
    private static final Duration MOST_SKEW = Duration.ofMinutes(14);

    private static final String BUCKET_REGION = "x-amz-bucket-region";

    /** The region in the body of an error. Not every answer has the header. */
    private static final Pattern REGION_ELEMENT =
            Pattern.compile("<Region>([a-z0-9-]{1,63})</Region>");

    /**
     * The action in the message of a refusal, as in "is not authorized to perform: kms:Decrypt".
     */
    private static final Pattern ACTION = Pattern.compile("perform: ([a-z0-9-]+:[A-Za-z]+)");

    int status() {
        return error.statusCode();
    }

    /** Returns the error code; empty if there is none. */
    String code() {
        AwsErrorDetails details = error.awsErrorDetails();
        return details == null || details.errorCode() == null ? "" : details.errorCode();
    }

    boolean isOfTokenService() {
        return error instanceof StsException;
    }

    /** Returns the store's own message, which its operators can look up. */
    String said() {
        String code = code();
        AwsErrorDetails details = error.awsErrorDetails();
        String message = details == null ? null : details.errorMessage();
        StringBuilder said =
                new StringBuilder(isOfTokenService() ? "the token service" : "the lake");
        said.append(" answers ").append(status());
        if (!code.isEmpty()) {
            said.append(' ').append(cut(code));
        }
        if (message != null && !message.isBlank() && !message.equals(code)) {
            said.append(": ").append(cut(message));
        }
        if (error.requestId() != null) {
            said.append(" (request ").append(cut(error.requestId())).append(')');
        }
        if (isPage()) {
            said.append(" with a page that is not from S3: check proxies before the lake");
        }
        return said.toString();
    }

    /**
     * Includes the limits of a key service behind the store, which are reported with status 400.
     */
    boolean isTooMany() {
        return error.isThrottlingException() || code().equals("KMS.ThrottlingException");
    }

    /**
     * Returns whether something other than a store has answered. A store's error has a code. An
     * answer to a HEAD has no body, and the SDK supplies a code for its 404, but a proxy announces
     * an HTML page. Proxies answer 404 without any body, too.
     */
    boolean isPage() {
        boolean hasBody = body().filter(body -> body.asByteArray().length > 0).isPresent();
        boolean isHtml =
                header("Content-Type").filter(type -> type.startsWith("text/html")).isPresent();
        return hasBody ? code().isEmpty() : isHtml || (code().isEmpty() && status() == 404);
    }

    /**
     * Returns whether the clocks differ. The answer to a HEAD has no error code, but it has the
     * store's time.
     */
    boolean isOtherTime() {
        return code().isEmpty()
                && (status() == 400 || status() == 403)
                && header("Date")
                        .map(S3Answer::time)
                        .filter(
                                time ->
                                        Duration.between(time, Instant.now())
                                                        .abs()
                                                        .compareTo(MOST_SKEW)
                                                > 0)
                        .isPresent();
    }

    /** Returns the region of the bucket, if the answer names it. */
    Optional<String> region() {
        return header(BUCKET_REGION).or(() -> body().flatMap(S3Answer::region));
    }

    /** Returns the action that the message names, for example of the store's key service. */
    Optional<String> missingPermission() {
        return ACTION.matcher(said()).results().findFirst().map(found -> found.group(1));
    }

    /** Returns a text on one line, truncated. */
    static String cut(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return line.length() <= MOST_SAID ? line : line.substring(0, MOST_SAID) + "…";
    }

    private Optional<String> header(String name) {
        return Optional.ofNullable(error.awsErrorDetails())
                .map(AwsErrorDetails::sdkHttpResponse)
                .flatMap(response -> response.firstMatchingHeader(name));
    }

    private Optional<SdkBytes> body() {
        return Optional.ofNullable(error.awsErrorDetails()).map(AwsErrorDetails::rawResponse);
    }

    private static Optional<String> region(SdkBytes body) {
        return REGION_ELEMENT
                .matcher(new String(body.asByteArray(), StandardCharsets.UTF_8))
                .results()
                .findFirst()
                .map(found -> found.group(1));
    }

    private static @Nullable Instant time(String header) {
        try {
            return DateUtils.parseRfc822Date(header);
        } catch (RuntimeException e) {
            return null;
        }
    }
}
