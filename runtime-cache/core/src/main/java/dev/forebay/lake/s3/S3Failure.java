package dev.forebay.lake.s3;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * What a failed attempt means.
 *
 * @param code for the caller
 * @param retry whether another attempt may succeed
 * @param why for a person
 */
record S3Failure(ErrorCode code, boolean retry, String why) {

    /** Codes of S3 that come with status 400, though no repetition helps. */
    private static final Set<String> SPENT_CREDENTIALS =
            Set.of(
                    "ExpiredToken",
                    "ExpiredTokenException",
                    "InvalidIdentityToken",
                    "InvalidToken",
                    "TokenRefreshRequired");

    /** What the request was, for the same status means different things. */
    enum Request {
        LIST,
        READ,
        PUT
    }

    static S3Failure of(Request request, Throwable thrown) {
        ForebayException ours = find(ForebayException.class, thrown);
        if (ours != null) {
            return new S3Failure(
                    ours.code(),
                    ours.code() == ErrorCode.LAKE_UNAVAILABLE,
                    String.valueOf(ours.getMessage()));
        }
        AwsServiceException answer = find(AwsServiceException.class, thrown);
        if (answer != null) {
            return ofAnswer(request, answer);
        }
        SdkException sdk = find(SdkException.class, thrown);
        String message = sdk == null ? thrown.toString() : String.valueOf(sdk.getMessage());
        return message.contains("load credentials")
                ? new S3Failure(ErrorCode.LAKE_DENIED, false, "no credentials for the lake")
                : new S3Failure(ErrorCode.LAKE_UNAVAILABLE, true, message);
    }

    private static S3Failure ofAnswer(Request request, AwsServiceException answer) {
        String code =
                answer.awsErrorDetails() == null
                        ? ""
                        : String.valueOf(answer.awsErrorDetails().errorCode());
        String why = "the lake answers " + answer.statusCode() + " " + code;
        if (SPENT_CREDENTIALS.contains(code)
                || (request == Request.READ && isOfKey(code, answer.statusCode()))) {
            return new S3Failure(ErrorCode.LAKE_DENIED, false, why);
        }
        return switch (answer.statusCode()) {
            case 401, 403 -> new S3Failure(ErrorCode.LAKE_DENIED, false, why);
            case 404 ->
                    request == Request.READ
                            ? new S3Failure(ErrorCode.LAKE_OBJECT_CHANGED, false, why)
                            : new S3Failure(ErrorCode.LAKE_EMPTY, false, why + ": no such bucket");
            // 405: the current version is a delete marker. 416: shorter than it was.
            case 405, 412, 416 -> new S3Failure(ErrorCode.LAKE_OBJECT_CHANGED, false, why);
            case 301, 307 ->
                    new S3Failure(
                            ErrorCode.LAKE_UNAVAILABLE,
                            false,
                            why + ": is forebay.lake.region the bucket's region?");
            case 408, 409, 429 -> new S3Failure(ErrorCode.LAKE_UNAVAILABLE, true, why);
            default ->
                    new S3Failure(
                            ErrorCode.LAKE_UNAVAILABLE,
                            answer.statusCode() != 501
                                    && (answer.statusCode() >= 500
                                            || code.equals("RequestTimeout")),
                            why);
        };
    }

    /**
     * Whether an object is encrypted by a key that is not given, or not to be had. See "List of
     * error codes" in the S3 API reference.
     */
    private static boolean isOfKey(String code, int status) {
        return status == 400 && (code.equals("InvalidRequest") || code.startsWith("KMS."));
    }

    private static <T extends Throwable> @Nullable T find(Class<T> type, Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
        }
        return null;
    }

    /** Whether a store said that it will not or cannot do something, as opposed to not just now. */
    static boolean isRefusal(Throwable thrown) {
        AwsServiceException answer = find(AwsServiceException.class, thrown);
        return answer != null && !ofAnswer(Request.LIST, answer).retry();
    }

    /** Whether a store said that it gets too many requests: S3's SlowDown is a 503. */
    static boolean isThrottled(Throwable thrown) {
        AwsServiceException answer = find(AwsServiceException.class, thrown);
        return answer != null && (answer.statusCode() == 503 || answer.isThrottlingException());
    }

    /** The status that a store answers if a condition of the request does not hold. */
    static boolean isPreconditionFailed(Throwable thrown) {
        AwsServiceException answer = find(AwsServiceException.class, thrown);
        return answer != null && answer.statusCode() == 412;
    }
}
