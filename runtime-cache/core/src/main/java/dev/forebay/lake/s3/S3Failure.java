package dev.forebay.lake.s3;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.sts.model.StsException;
import software.amazon.awssdk.utils.DateUtils;

/**
 * Classifies a failed attempt: whether a retry may succeed, and otherwise what a person can do
 * about it. Codes and statuses are those of "List of error codes" in the S3 API reference. {@code
 * docs/failures.md} lists them in a table.
 *
 * @param code for the caller
 * @param retry whether another attempt may succeed
 * @param why for a person, including the store's own message
 */
record S3Failure(ErrorCode code, boolean retry, String why) {

    /** Longer texts of a store are truncated. */
    private static final int MOST_SAID = 300;

    /** S3 refuses requests whose time differs from its own by more than 15 minutes. */
    private static final Duration MOST_SKEW = Duration.ofMinutes(14);

    private static final String BUCKET_REGION = "x-amz-bucket-region";

    /** The region in the body of an error. Not every answer has the header. */
    private static final Pattern REGION_ELEMENT =
            Pattern.compile("<Region>([a-z0-9-]{1,63})</Region>");

    /**
     * Prefix of the SDK's message for an invalid value in a listing. Its message for a truncated
     * listing differs.
     */
    private static final String UNREADABLE = "Unable to unmarshall response";

    /**
     * The action in the message of a refusal, as in "is not authorized to perform: kms:Decrypt".
     */
    private static final Pattern ACTION = Pattern.compile("perform: ([a-z0-9-]+:[A-Za-z]+)");

    private static final String OTHERS =
            "; name a bucket whose requesters pay in forebay.lake.requester-pays-buckets, and one that everybody may read in forebay.lake.anonymous-buckets";

    /** The kind of request, because the meaning of a status depends on it. */
    enum Request {
        LIST("s3:ListBucket on the bucket"),
        LIST_VERSIONS("s3:ListBucketVersions on the bucket, which keeps versions"),
        READ("s3:GetObject on the object"),
        READ_VERSION("s3:GetObjectVersion on the object, whose bucket keeps versions"),
        PUT("s3:PutObject on the bucket for manifests");

        private final String permission;

        Request(String permission) {
            this.permission = permission;
        }

        static Request read(@Nullable String versionId) {
            return versionId == null ? READ : READ_VERSION;
        }

        boolean isListing() {
            return this == LIST || this == LIST_VERSIONS;
        }

        boolean isRead() {
            return this == READ || this == READ_VERSION;
        }
    }

    static S3Failure of(Request request, Throwable thrown) {
        ForebayException ours = find(ForebayException.class, thrown);
        if (ours != null) {
            // A proxy may have answered instead of the store, so LAKE_UNSUPPORTED is retried, too.
            boolean retry =
                    (ours.code() == ErrorCode.LAKE_UNAVAILABLE)
                            || (ours.code() == ErrorCode.LAKE_UNSUPPORTED);
            return new S3Failure(ours.code(), retry, String.valueOf(ours.getMessage()));
        }
        AwsServiceException answer = find(AwsServiceException.class, thrown);
        if (answer != null) {
            return answer instanceof StsException
                    ? ofTokenService(answer)
                    : ofAnswer(request, answer);
        }
        UnknownHostException unknown = find(UnknownHostException.class, thrown);
        if (unknown != null) {
            return unavailable(
                    "the host name %s is not resolved: look at the name servers of this machine, or compare forebay.lake.endpoint and forebay.lake.path-style with what the store wants"
                            .formatted(cut(String.valueOf(unknown.getMessage()))));
        }
        SdkException sdk = find(SdkException.class, thrown);
        String message = sdk == null ? thrown.toString() : String.valueOf(sdk.getMessage());
        if (request.isListing() && message.startsWith(UNREADABLE)) {
            return unsupported(
                    cut(message),
                    "the store lists what is no number, or no time: look at the store");
        }
        return message.contains("load credentials")
                ? withoutCredentials(message, S3Failure::isSet, isMachineOfEc2())
                : new S3Failure(ErrorCode.LAKE_UNAVAILABLE, true, message);
    }

    /**
     * Classifies missing credentials. If a service of the cluster or of the machine should provide
     * them, it may only be unavailable, so the attempt is retried.
     *
     * @param machineGives whether the machine may have a role of its own
     */
    static S3Failure withoutCredentials(
            String message, Predicate<SdkSystemSetting> isSet, boolean machineGives) {
        boolean given =
                isSet.test(SdkSystemSetting.AWS_CONTAINER_CREDENTIALS_FULL_URI)
                        || isSet.test(SdkSystemSetting.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI)
                        || isSet.test(SdkSystemSetting.AWS_WEB_IDENTITY_TOKEN_FILE)
                        || isSet.test(SdkSystemSetting.AWS_EC2_METADATA_SERVICE_ENDPOINT)
                        || CredentialSources.isAnySetUp(message)
                        || machineGives;
        return given
                ? unavailable(
                        "nobody gives credentials for the lake just now: "
                                + cut(CredentialSources.tried(message)))
                : denied(
                        "there are no credentials for the lake",
                        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the pod or the machine a role; name a bucket that everybody may read in forebay.lake.anonymous-buckets");
    }

    /**
     * Reads the firmware's vendor, or on Xen the hypervisor's id; see "Detect whether a host is an
     * EC2 instance" in the EC2 guide.
     */
    private static boolean isMachineOfEc2() {
        return isIn(Path.of("/sys/class/dmi/id/board_vendor"), text -> text.contains("Amazon EC2"))
                || isIn(
                        Path.of("/sys/hypervisor/uuid"),
                        text -> text.toLowerCase(Locale.ROOT).startsWith("ec2"));
    }

    private static boolean isIn(Path file, Predicate<String> wanted) {
        try {
            return wanted.test(Files.readString(file));
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isSet(SdkSystemSetting setting) {
        return setting.getNonDefaultStringValue().filter(value -> !value.isBlank()).isPresent();
    }

    private static S3Failure unavailable(String why) {
        return new S3Failure(ErrorCode.LAKE_UNAVAILABLE, true, why);
    }

    private static S3Failure denied(String why, String remedy) {
        return new S3Failure(ErrorCode.LAKE_DENIED, false, why + "; " + remedy);
    }

    private static S3Failure unsupported(String why, String remedy) {
        return new S3Failure(ErrorCode.LAKE_UNSUPPORTED, false, why + "; " + remedy);
    }

    private static S3Failure ofAnswer(Request request, AwsServiceException answer) {
        String code = code(answer);
        String said = said("the lake", answer, code);
        if (isTooMany(answer, code)) {
            return unavailable(said);
        }
        return switch (code) {
            case "RequestTimeTooSkewed", "RequestInTheFuture" -> otherTime(said);
            case "ExpiredToken", "TokenRefreshRequired" ->
                    expired(said, isSet(SdkSystemSetting.AWS_SESSION_TOKEN));
            case "InvalidToken", "InvalidAccessKeyId", "SignatureDoesNotMatch" ->
                    denied(
                            said,
                            "the lake does not know these credentials: compare AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN with those of the store");
            case "InvalidObjectState" ->
                    denied(said, "the object is archived: restore it, or leave it out (--exclude)");
            case "PermanentRedirect",
                    "TemporaryRedirect",
                    "Redirect",
                    "AuthorizationHeaderMalformed",
                    "IllegalLocationConstraintException" ->
                    ofOtherRegion(said, answer);
            case "SecondLevelDomainForbidden", "PathStyleDomainForbidden" ->
                    unsupported(
                            said,
                            "set forebay.lake.path-style to false: the store wants the bucket in the name of the host");
            case "RequestTimeout", "IncompleteBody", "BadDigest", "InternalError", "SlowDown" ->
                    unavailable(said);
            default -> ofStatus(request, answer.statusCode(), code, said, answer);
        };
    }

    /**
     * Classifies an answer of the token service, which exchanges a token of the cluster for a key.
     * It may not reach the issuer for a moment, and a token that has ended is replaced in its file.
     * See "AssumeRoleWithWebIdentity" in the STS API reference.
     */
    private static S3Failure ofTokenService(AwsServiceException answer) {
        String code = code(answer);
        String said = said("the token service", answer, code);
        boolean passes =
                isTooMany(answer, code)
                        || isPage(answer, code)
                        || answer.statusCode() >= 500
                        || code.equals("IDPCommunicationError")
                        || code.equals("ExpiredTokenException");
        return passes
                ? unavailable(said)
                : denied(
                        said,
                        "compare AWS_ROLE_ARN, and the issuer that the role trusts, with the token in AWS_WEB_IDENTITY_TOKEN_FILE");
    }

    /**
     * Classifies a refusal of credentials that have ended.
     *
     * @param fixed whether they are in the environment, which never changes; others are replaced
     */
    static S3Failure expired(String said, boolean fixed) {
        return fixed
                ? denied(said, "the credentials have ended: renew AWS_SESSION_TOKEN")
                : unavailable(
                        said
                                + "; the credentials have ended, and there are no new ones yet: look at the service that gives them");
    }

    /**
     * Includes the limits of a key service behind the store, which are reported with status 400.
     */
    private static boolean isTooMany(AwsServiceException answer, String code) {
        return answer.isThrottlingException() || code.equals("KMS.ThrottlingException");
    }

    private static S3Failure ofStatus(
            Request request, int status, String code, String said, AwsServiceException answer) {
        if (code.isEmpty() && isOtherTime(answer)) {
            return otherTime(said);
        }
        if (isPage(answer, code)) {
            return ofPage(status, said);
        }
        return switch (status) {
            case 301, 307, 308 -> ofOtherRegion(said, answer);
            case 400 ->
                    request.isRead() && (code.equals("InvalidRequest") || code.startsWith("KMS."))
                            ? denied(
                                    said,
                                    "the object is encrypted by a key that Forebay may not use: allow kms:Decrypt, or leave it out (--exclude)")
                            : unsupported(
                                    said,
                                    "the store refuses the request as one that it does not know");
            case 401, 403 ->
                    denied(
                            said,
                            "allow Forebay's credentials %s, and look for a policy that denies it%s"
                                    .formatted(
                                            missing(said).orElse(request.permission),
                                            request == Request.PUT ? "" : OTHERS));
            case 404 -> ofMissing(request, code, said);
            // 405: the current version is a delete marker. 416: the object is shorter than before.
            case 405, 412, 416 ->
                    request.isRead()
                            ? new S3Failure(ErrorCode.LAKE_OBJECT_CHANGED, false, said)
                            : unsupported(said, "the store does not know the request");
            case 501 -> unsupported(said, "the store does not know the request");
            default ->
                    status == 408 || status == 409 || status == 429 || status >= 500
                            ? unavailable(said)
                            : unsupported(said, "the store refuses the request");
        };
    }

    /** Classifies an answer of something before the store, such as a proxy or a firewall. */
    private static S3Failure ofPage(int status, String said) {
        return switch (status) {
            case 401, 403, 407 ->
                    denied(said, "allow there what Forebay asks of the store's address");
            case 301, 302, 307, 308, 400 ->
                    unsupported(said, "compare forebay.lake.endpoint with the store's address");
            // A proxy also answers 404 while it has no route to the store.
            default -> unavailable(said);
        };
    }

    /** Returns the action that the store's message names, for example of its key service. */
    private static Optional<String> missing(String said) {
        return ACTION.matcher(said).results().findFirst().map(found -> found.group(1));
    }

    private static S3Failure ofMissing(Request request, String code, String said) {
        return request.isRead() && !code.equals("NoSuchBucket")
                ? new S3Failure(ErrorCode.LAKE_OBJECT_CHANGED, false, said)
                : new S3Failure(
                        ErrorCode.LAKE_EMPTY,
                        false,
                        said
                                + ": no such bucket; look for a mistyped --source, and at forebay.lake.endpoint and forebay.manifest-bucket");
    }

    /**
     * Returns whether something other than a store has answered. A store's error has a code. An
     * answer to a HEAD has no body, and the SDK supplies a code for its 404, but a proxy announces
     * an HTML page. Proxies answer 404 without any body, too.
     */
    private static boolean isPage(AwsServiceException answer, String code) {
        Optional<AwsErrorDetails> details = Optional.ofNullable(answer.awsErrorDetails());
        boolean hasBody =
                details.map(AwsErrorDetails::rawResponse)
                        .filter(body -> body.asByteArray().length > 0)
                        .isPresent();
        boolean isHtml =
                details.map(AwsErrorDetails::sdkHttpResponse)
                        .flatMap(response -> response.firstMatchingHeader("Content-Type"))
                        .filter(type -> type.startsWith("text/html"))
                        .isPresent();
        return hasBody ? code.isEmpty() : isHtml || (code.isEmpty() && answer.statusCode() == 404);
    }

    private static S3Failure otherTime(String said) {
        return unavailable(said + "; the clock of this machine is not the lake's: set it right");
    }

    /**
     * Returns whether the clocks differ. The answer to a HEAD has no error code, but it has the
     * store's time.
     */
    private static boolean isOtherTime(AwsServiceException answer) {
        return (answer.statusCode() == 400 || answer.statusCode() == 403)
                && Optional.ofNullable(answer.awsErrorDetails())
                        .map(AwsErrorDetails::sdkHttpResponse)
                        .flatMap(response -> response.firstMatchingHeader("Date"))
                        .map(S3Failure::time)
                        .filter(
                                time ->
                                        Duration.between(time, Instant.now())
                                                        .abs()
                                                        .compareTo(MOST_SKEW)
                                                > 0)
                        .isPresent();
    }

    private static @Nullable Instant time(String header) {
        try {
            return DateUtils.parseRfc822Date(header);
        } catch (RuntimeException e) {
            return null;
        }
    }

    private static S3Failure ofOtherRegion(String said, AwsServiceException answer) {
        Optional<AwsErrorDetails> details = Optional.ofNullable(answer.awsErrorDetails());
        Optional<String> region =
                details.map(AwsErrorDetails::sdkHttpResponse)
                        .flatMap(response -> response.firstMatchingHeader(BUCKET_REGION))
                        .or(
                                () ->
                                        details.map(AwsErrorDetails::rawResponse)
                                                .flatMap(S3Failure::region));
        return unsupported(
                said,
                "set forebay.lake.region, and forebay.lake.endpoint, to the bucket's"
                        + region.map(name -> ": it is in " + name).orElse(""));
    }

    private static Optional<String> region(SdkBytes body) {
        return REGION_ELEMENT
                .matcher(new String(body.asByteArray(), StandardCharsets.UTF_8))
                .results()
                .findFirst()
                .map(found -> found.group(1));
    }

    private static String code(AwsServiceException answer) {
        AwsErrorDetails details = answer.awsErrorDetails();
        return details == null || details.errorCode() == null ? "" : details.errorCode();
    }

    /** Returns the store's own message, which its operators can look up. */
    private static String said(String who, AwsServiceException answer, String code) {
        AwsErrorDetails details = answer.awsErrorDetails();
        String message = details == null ? null : details.errorMessage();
        StringBuilder said = new StringBuilder(who + " answers " + answer.statusCode());
        if (!code.isEmpty()) {
            said.append(' ').append(cut(code));
        }
        if (message != null && !message.isBlank() && !message.equals(code)) {
            said.append(": ").append(cut(message));
        }
        if (answer.requestId() != null) {
            said.append(" (request ").append(cut(answer.requestId())).append(')');
        }
        if (isPage(answer, code)) {
            said.append(" with a page that is not S3's: look at proxies before the lake");
        }
        return said.toString();
    }

    private static String cut(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return line.length() <= MOST_SAID ? line : line.substring(0, MOST_SAID) + "…";
    }

    private static <T extends Throwable> @Nullable T find(Class<T> type, Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
        }
        return null;
    }

    /**
     * Returns whether a store has refused a request for good, as opposed to a temporary failure.
     */
    static boolean isRefusal(Throwable thrown) {
        AwsServiceException answer = find(AwsServiceException.class, thrown);
        return answer != null && !ofAnswer(Request.LIST, answer).retry();
    }

    /** Returns whether a store has reported too many requests. S3's SlowDown has status 503. */
    static boolean isThrottled(Throwable thrown) {
        AwsServiceException answer = find(AwsServiceException.class, thrown);
        return answer != null && (answer.statusCode() == 503 || isTooMany(answer, code(answer)));
    }

    /** Returns whether a store has reported that a condition of the request does not hold. */
    static boolean isPreconditionFailed(Throwable thrown) {
        AwsServiceException answer = find(AwsServiceException.class, thrown);
        return answer != null && answer.statusCode() == 412;
    }
}
