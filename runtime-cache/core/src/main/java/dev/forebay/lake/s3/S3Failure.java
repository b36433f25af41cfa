package dev.forebay.lake.s3;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.core.exception.SdkException;

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

    private static final Path SYS = Path.of("/sys");

    /**
     * Prefix of the SDK's message for an invalid value in a listing. Its message for a truncated
     * listing differs.
     */
    private static final String UNREADABLE = "Unable to unmarshall response";

    private static final String OTHERS =
            ". List requester-pays buckets in forebay.lake.requester-pays-buckets, and public "
                    + "buckets in forebay.lake.anonymous-buckets";

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
        Optional<S3Answer> answer = answer(thrown);
        if (answer.isPresent()) {
            return answer.get().isOfTokenService()
                    ? ofTokenService(answer.get())
                    : ofAnswer(request, answer.get());
        }
        UnknownHostException unknown = find(UnknownHostException.class, thrown);
        if (unknown != null) {
            return unavailable(
                    "cannot resolve the host name %s: check the name servers of this machine, and compare forebay.lake.endpoint and forebay.lake.path-style with the store's documentation"
                            .formatted(S3Answer.cut(String.valueOf(unknown.getMessage()))));
        }
        SdkException sdk = find(SdkException.class, thrown);
        String message = sdk == null ? thrown.toString() : String.valueOf(sdk.getMessage());
        if (request.isListing() && message.startsWith(UNREADABLE)) {
            return unsupported(
                    S3Answer.cut(message),
                    "the listing has an invalid number or time: check the store");
        }
        return message.contains("load credentials")
                ? withoutCredentials(message, S3Failure::isSet, isMachineOfEc2(SYS))
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
                        || MissingCredentialsMessage.isAnySetUp(message)
                        || machineGives;
        return given
                ? unavailable(
                        "no source provides credentials for the lake at the moment: "
                                + S3Answer.cut(MissingCredentialsMessage.tried(message)))
                : denied(
                        "there are no credentials for the lake",
                        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the pod or the "
                                + "machine a role. List public buckets in forebay.lake.anonymous-buckets");
    }

    /**
     * Reads the firmware's vendor, or on Xen the hypervisor's id; see "Detect whether a host is an
     * EC2 instance" in the EC2 guide.
     *
     * @param sys where sysfs is mounted
     */
    static boolean isMachineOfEc2(Path sys) {
        return isIn(sys.resolve("class/dmi/id/board_vendor"), text -> text.contains("Amazon EC2"))
                || isIn(
                        sys.resolve("hypervisor/uuid"),
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

    private static S3Failure ofAnswer(Request request, S3Answer answer) {
        String said = answer.said();
        if (answer.isTooMany()) {
            return unavailable(said);
        }
        return switch (answer.code()) {
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
                            "set forebay.lake.path-style to false: the store expects the bucket "
                                    + "in the host name");
            case "RequestTimeout", "IncompleteBody", "BadDigest", "InternalError", "SlowDown" ->
                    unavailable(said);
            default -> ofStatus(request, answer, said);
        };
    }

    /**
     * Classifies an answer of the token service, which exchanges a token of the cluster for a key.
     * It may not reach the issuer for a moment, and a token that has ended is replaced in its file.
     * See "AssumeRoleWithWebIdentity" in the STS API reference.
     */
    private static S3Failure ofTokenService(S3Answer answer) {
        boolean passes =
                answer.isTooMany()
                        || answer.isPage()
                        || answer.status() >= 500
                        || answer.code().equals("IDPCommunicationError")
                        || answer.code().equals("ExpiredTokenException");
        return passes
                ? unavailable(answer.said())
                : denied(
                        answer.said(),
                        "compare AWS_ROLE_ARN, and the issuer that the role trusts, with the token in AWS_WEB_IDENTITY_TOKEN_FILE");
    }

    /**
     * Classifies a refusal of credentials that have ended.
     *
     * @param fixed whether they are in the environment, which never changes; others are replaced
     */
    static S3Failure expired(String said, boolean fixed) {
        return fixed
                ? denied(said, "the credentials have expired: renew AWS_SESSION_TOKEN")
                : unavailable(
                        said
                                + "; the credentials have expired, and there are no new ones "
                                + "yet: check the service that issues them");
    }

    private static S3Failure ofStatus(Request request, S3Answer answer, String said) {
        int status = answer.status();
        String code = answer.code();
        if (answer.isOtherTime()) {
            return otherTime(said);
        }
        if (answer.isPage()) {
            return ofPage(status, said);
        }
        return switch (status) {
            case 301, 307, 308 -> ofOtherRegion(said, answer);
            case 400 ->
                    request.isRead() && (code.equals("InvalidRequest") || code.startsWith("KMS."))
                            ? denied(
                                    said,
                                    "the object is encrypted with a key that Forebay must not "
                                            + "use: allow kms:Decrypt, or exclude the object (--exclude)")
                            : unsupported(said, "the store does not support the request");
            case 401, 403 ->
                    denied(
                            said,
                            "allow Forebay's credentials %s, and check for a policy that denies it%s"
                                    .formatted(
                                            answer.missingPermission().orElse(request.permission),
                                            request == Request.PUT ? "" : OTHERS));
            case 404 -> ofMissing(request, code, said);
            // 405: the current version is a delete marker. 416: the object is shorter than before.
            case 405, 412, 416 ->
                    request.isRead()
                            ? new S3Failure(ErrorCode.LAKE_OBJECT_CHANGED, false, said)
                            : unsupported(said, "the store does not support the request");
            case 501 -> unsupported(said, "the store does not support the request");
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
                    denied(
                            said,
                            "allow Forebay's requests to the store's address in that proxy "
                                    + "or firewall");
            case 301, 302, 307, 308, 400 ->
                    unsupported(said, "compare forebay.lake.endpoint with the store's address");
            // A proxy also answers 404 while it has no route to the store.
            default -> unavailable(said);
        };
    }

    private static S3Failure ofMissing(Request request, String code, String said) {
        return request.isRead() && !code.equals("NoSuchBucket")
                ? new S3Failure(ErrorCode.LAKE_OBJECT_CHANGED, false, said)
                : new S3Failure(
                        ErrorCode.LAKE_EMPTY,
                        false,
                        said
                                + ": no such bucket. Check --source, forebay.lake.endpoint and "
                                + "forebay.manifest-bucket");
    }

    private static S3Failure otherTime(String said) {
        return unavailable(
                said + "; the clock of this machine differs from the lake's: correct " + "it");
    }

    private static S3Failure ofOtherRegion(String said, S3Answer answer) {
        return unsupported(
                said,
                "set forebay.lake.region, and forebay.lake.endpoint, to the bucket's"
                        + answer.region().map(name -> ": it is in " + name).orElse(""));
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
        return answer(thrown)
                .filter(answer -> !answer.isOfTokenService())
                .filter(answer -> !ofAnswer(Request.LIST, answer).retry())
                .isPresent();
    }

    /** Returns whether a store has reported too many requests. S3's SlowDown has status 503. */
    static boolean isThrottled(Throwable thrown) {
        return answer(thrown)
                .filter(answer -> answer.status() == 503 || answer.isTooMany())
                .isPresent();
    }

    /** Returns whether a store has reported that a condition of the request does not hold. */
    static boolean isPreconditionFailed(Throwable thrown) {
        return answer(thrown).filter(answer -> answer.status() == 412).isPresent();
    }

    private static Optional<S3Answer> answer(Throwable thrown) {
        return Optional.ofNullable(find(AwsServiceException.class, thrown)).map(S3Answer::new);
    }
}
