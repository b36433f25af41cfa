package dev.forebay.lake.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.lake.s3.S3Failure.Request;
import dev.forebay.model.ErrorCode;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.SdkHttpFullResponse;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.sts.model.StsException;
import software.amazon.awssdk.utils.DateUtils;

class S3FailureTest {

    private static S3Failure failure(Request request, int status, String code) {
        SdkHttpResponse response =
                SdkHttpFullResponse.builder()
                        .statusCode(status)
                        .putHeader("x-amz-bucket-region", "eu-west-1")
                        .build();
        AwsErrorDetails details =
                AwsErrorDetails.builder()
                        .errorCode(code)
                        .errorMessage("the store's own words")
                        .sdkHttpResponse(response)
                        .build();
        return S3Failure.of(
                request,
                S3Exception.builder()
                        .statusCode(status)
                        .requestId("R1")
                        .awsErrorDetails(details)
                        .build());
    }

    /** The rows of "What a lake answers" in docs/failures.md. */
    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    LIST          | 403 | AccessDenied                 | LAKE_DENIED         | final | s3:ListBucket on
                    LIST_VERSIONS | 403 | AccessDenied                 | LAKE_DENIED         | final | s3:ListBucketVersions
                    READ          | 403 | AccessDenied                 | LAKE_DENIED         | final | s3:GetObject on
                    READ_VERSION  | 403 | AccessDenied                 | LAKE_DENIED         | final | s3:GetObjectVersion
                    PUT           | 403 | AccessDenied                 | LAKE_DENIED         | final | s3:PutObject
                    READ          | 401 | Unauthorized                 | LAKE_DENIED         | final | s3:GetObject on
                    LIST          | 403 | InvalidAccessKeyId           | LAKE_DENIED         | final | AWS_ACCESS_KEY_ID
                    READ          | 403 | SignatureDoesNotMatch        | LAKE_DENIED         | final | AWS_SECRET_ACCESS_KEY
                    READ          | 400 | ExpiredToken                 | LAKE_UNAVAILABLE    | again | check the service
                    READ          | 400 | TokenRefreshRequired         | LAKE_UNAVAILABLE    | again | check the service
                    LIST          | 400 | InvalidToken                 | LAKE_DENIED         | final | AWS_SESSION_TOKEN
                    READ          | 403 | InvalidObjectState           | LAKE_DENIED         | final | restore it
                    READ          | 400 | InvalidRequest               | LAKE_DENIED         | final | kms:Decrypt
                    READ_VERSION  | 400 | KMS.DisabledException        | LAKE_DENIED         | final | kms:Decrypt
                    LIST          | 403 | RequestTimeTooSkewed         | LAKE_UNAVAILABLE    | again | clock
                    READ          | 400 | RequestTimeout               | LAKE_UNAVAILABLE    | again | words
                    PUT           | 400 | IncompleteBody               | LAKE_UNAVAILABLE    | again | words
                    PUT           | 400 | BadDigest                    | LAKE_UNAVAILABLE    | again | words
                    LIST          | 408 | RequestTimeout               | LAKE_UNAVAILABLE    | again | words
                    PUT           | 409 | ConditionalRequestConflict   | LAKE_UNAVAILABLE    | again | words
                    READ          | 429 | TooManyRequests              | LAKE_UNAVAILABLE    | again | words
                    READ          | 400 | ThrottlingException          | LAKE_UNAVAILABLE    | again | words
                    LIST          | 403 | RequestLimitExceeded         | LAKE_UNAVAILABLE    | again | words
                    READ          | 400 | KMS.ThrottlingException      | LAKE_UNAVAILABLE    | again | words
                    READ          | 500 | InternalError                | LAKE_UNAVAILABLE    | again | words
                    LIST          | 503 | SlowDown                     | LAKE_UNAVAILABLE    | again | words
                    LIST          | 301 | PermanentRedirect            | LAKE_UNSUPPORTED    | final | it is in eu-west-1
                    READ          | 307 | TemporaryRedirect            | LAKE_UNSUPPORTED    | final | it is in eu-west-1
                    LIST          | 400 | AuthorizationHeaderMalformed | LAKE_UNSUPPORTED    | final | it is in eu-west-1
                    LIST          | 403 | SecondLevelDomainForbidden   | LAKE_UNSUPPORTED    | final | forebay.lake.path-style
                    LIST          | 403 | PathStyleDomainForbidden     | LAKE_UNSUPPORTED    | final | forebay.lake.path-style
                    LIST          | 403 | AllAccessDisabled            | LAKE_DENIED         | final | forebay.lake.requester-pays-buckets
                    READ          | 403 | AccessDenied                 | LAKE_DENIED         | final | forebay.lake.anonymous-buckets
                    LIST          | 400 | MalformedXML                 | LAKE_UNSUPPORTED    | final | does not support
                    PUT           | 400 | InvalidRequest               | LAKE_UNSUPPORTED    | final | does not support
                    LIST          | 405 | MethodNotAllowed             | LAKE_UNSUPPORTED    | final | does not support
                    READ          | 501 | NotImplemented               | LAKE_UNSUPPORTED    | final | does not support
                    LIST          | 418 | Teapot                       | LAKE_UNSUPPORTED    | final | refuses
                    LIST          | 404 | NoSuchBucket                 | LAKE_EMPTY          | final | no such bucket
                    READ          | 404 | NoSuchBucket                 | LAKE_EMPTY          | final | no such bucket
                    READ          | 404 | NoSuchKey                    | LAKE_OBJECT_CHANGED | final | words
                    READ          | 405 | MethodNotAllowed             | LAKE_OBJECT_CHANGED | final | words
                    READ_VERSION  | 412 | PreconditionFailed           | LAKE_OBJECT_CHANGED | final | words
                    READ          | 416 | InvalidRange                 | LAKE_OBJECT_CHANGED | final | words
                    """)
    void eachErrorAnswerHasACodeAndARemedy(
            Request request,
            int status,
            String code,
            ErrorCode meaning,
            String again,
            String remedy) {
        S3Failure failure = failure(request, status, code);
        assertThat(failure.code()).isEqualTo(meaning);
        assertThat(failure.retry()).isEqualTo(again.equals("again"));
        assertThat(failure.why())
                .contains(String.valueOf(status), code, "the store's own words", "R1")
                .contains(remedy);
    }

    /**
     * The answer to a HEAD has no body and thus no code. Only its time shows why it was refused.
     */
    @ParameterizedTest
    @CsvSource({"403, 20, true", "400, -20, true", "403, 5, false", "405, 20, false"})
    void aRefusalWithoutACodeIsRetriedIfTheClockIsWrong(int status, long minutes, boolean clock) {
        String date = DateUtils.formatRfc822Date(Instant.now().plus(Duration.ofMinutes(minutes)));
        AwsErrorDetails details =
                AwsErrorDetails.builder()
                        .sdkHttpResponse(
                                SdkHttpFullResponse.builder()
                                        .statusCode(status)
                                        .putHeader("Date", date)
                                        .build())
                        .build();
        S3Failure failure =
                S3Failure.of(
                        Request.READ,
                        S3Exception.builder().statusCode(status).awsErrorDetails(details).build());
        assertThat(failure.retry()).isEqualTo(clock);
        assertThat(failure.why().contains("clock of this machine")).isEqualTo(clock);
    }

    @Test
    void credentialsOfTheEnvironmentThatEndedAreAFinalFailure() {
        S3Failure failure = S3Failure.expired("the lake answers 400", true);
        assertThat(failure.code()).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(failure.retry()).isFalse();
        assertThat(failure.why()).contains("renew AWS_SESSION_TOKEN");
    }

    /** The store names the action, for example of its key service. */
    @Test
    void theRemedyForARefusalNamesTheActionOfTheStore() {
        AwsErrorDetails details =
                AwsErrorDetails.builder()
                        .errorCode("AccessDenied")
                        .errorMessage(
                                "User: arn:aws:iam::1:role/r is not authorized to perform: kms:Decrypt on the resource associated with this ciphertext")
                        .build();
        S3Failure failure =
                S3Failure.of(
                        Request.READ,
                        S3Exception.builder().statusCode(403).awsErrorDetails(details).build());
        assertThat(failure.why())
                .contains("allow Forebay's credentials kms:Decrypt")
                .doesNotContain("s3:GetObject");
    }

    /** The rows of the token service in docs/failures.md. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "400, IDPCommunicationError, LAKE_UNAVAILABLE",
        "400, ExpiredTokenException, LAKE_UNAVAILABLE",
        "503, ServiceUnavailable, LAKE_UNAVAILABLE",
        "400, InvalidIdentityToken, LAKE_DENIED",
        "403, AccessDenied, LAKE_DENIED",
        "403, IDPRejectedClaim, LAKE_DENIED",
    })
    void anAnswerOfTheTokenServiceIsNotTheStores(int status, String code, ErrorCode meaning) {
        AwsErrorDetails details =
                AwsErrorDetails.builder().errorCode(code).errorMessage("its own words").build();
        Exception thrown =
                SdkClientException.create(
                        "no credentials",
                        StsException.builder().statusCode(status).awsErrorDetails(details).build());
        assertThat(S3Failure.isRefusal(thrown)).isFalse();
        S3Failure failure = S3Failure.of(Request.LIST, thrown);
        assertThat(failure.code()).isEqualTo(meaning);
        assertThat(failure.why())
                .contains("the token service answers " + status, code, "its own words")
                .doesNotContain("s3:", "AWS_ACCESS_KEY_ID");
        if (meaning == ErrorCode.LAKE_DENIED) {
            assertThat(failure.why()).contains("AWS_ROLE_ARN");
        }
    }

    /** A store's error has a code. Proxies and firewalls answer with a page of their own. */
    @ParameterizedTest
    @CsvSource({
        "400, LAKE_UNSUPPORTED, forebay.lake.endpoint",
        "401, LAKE_DENIED, that proxy or firewall",
        "403, LAKE_DENIED, that proxy or firewall",
        "407, LAKE_DENIED, that proxy or firewall",
        "404, LAKE_UNAVAILABLE, ''",
        "405, LAKE_UNAVAILABLE, ''",
        "412, LAKE_UNAVAILABLE, ''",
        "416, LAKE_UNAVAILABLE, ''",
        "501, LAKE_UNAVAILABLE, ''"
    })
    void aPageOfAProxyIsNotAnAnswerOfTheStore(int status, ErrorCode meaning, String remedy) {
        AwsErrorDetails details =
                AwsErrorDetails.builder()
                        .rawResponse(SdkBytes.fromUtf8String("<html>Forbidden</html>"))
                        .build();
        for (Request request : Request.values()) {
            S3Failure failure =
                    S3Failure.of(
                            request,
                            S3Exception.builder()
                                    .statusCode(status)
                                    .awsErrorDetails(details)
                                    .build());
            assertThat(failure.code()).isEqualTo(meaning);
            assertThat(failure.why())
                    .contains("check proxies before the lake", remedy)
                    .doesNotContain("s3:");
        }
    }

    /** Envoy and load balancers send no body while they have no route. */
    @Test
    void anEmptyAnswer404IsATemporaryFailure() {
        AwsErrorDetails details =
                AwsErrorDetails.builder().rawResponse(SdkBytes.fromByteArray(new byte[0])).build();
        for (Request request : Request.values()) {
            assertThat(
                            S3Failure.of(
                                            request,
                                            S3Exception.builder()
                                                    .statusCode(404)
                                                    .awsErrorDetails(details)
                                                    .build())
                                    .code())
                    .isEqualTo(ErrorCode.LAKE_UNAVAILABLE);
        }
    }

    /** Not every answer has the header. */
    @Test
    void theErrorNamesTheRegionFromTheBodyOfTheAnswer() {
        String body =
                "<Error><Code>AuthorizationHeaderMalformed</Code><Region>ap-northeast-2</Region></Error>";
        AwsErrorDetails details =
                AwsErrorDetails.builder()
                        .errorCode("AuthorizationHeaderMalformed")
                        .rawResponse(SdkBytes.fromUtf8String(body))
                        .build();
        S3Failure failure =
                S3Failure.of(
                        Request.LIST,
                        S3Exception.builder().statusCode(400).awsErrorDetails(details).build());
        assertThat(failure.code()).isEqualTo(ErrorCode.LAKE_UNSUPPORTED);
        assertThat(failure.why())
                .contains("set forebay.lake.region")
                .contains("it is in ap-northeast-2");
    }

    @Test
    void anUnresolvedHostIsReportedWithItsSettings() {
        S3Failure failure =
                S3Failure.of(
                        Request.LIST,
                        SdkClientException.create(
                                "see the cause", new UnknownHostException("data.lake.example")));
        assertThat(failure.retry()).isTrue();
        assertThat(failure.why())
                .contains(
                        "cannot resolve the host name data.lake.example",
                        "name servers",
                        "forebay.lake.endpoint",
                        "forebay.lake.path-style");
    }

    /** A final failure needs a code that callers do not retry either. */
    @Test
    void aFailureIsRetriedExactlyIfItsCodeIsRetryable() {
        for (int status = 300; status < 600; status++) {
            for (Request request : Request.values()) {
                S3Failure failure = failure(request, status, "Some");
                assertThat(failure.code().retryable())
                        .as("%s %s", request, status)
                        .isEqualTo(failure.retry());
            }
        }
    }

    @Test
    void longMessagesOfAStoreAreShortenedToOneLine() {
        AwsErrorDetails details =
                AwsErrorDetails.builder().errorMessage("a\nb" + "x".repeat(5000)).build();
        S3Failure failure =
                S3Failure.of(
                        Request.LIST,
                        S3Exception.builder().statusCode(500).awsErrorDetails(details).build());
        assertThat(failure.why()).hasSizeLessThan(500).contains("a b").doesNotContain("\n");
    }

    private static final String NONE =
            "Unable to load credentials from any of the providers in the chain: [InstanceProfileCredentialsProvider(): Failed to load credentials from IMDS.]";

    private static S3Failure withoutCredentials(SdkSystemSetting... set) {
        return S3Failure.withoutCredentials(NONE, Set.of(set)::contains, false);
    }

    @Test
    void missingCredentialsAreAFinalFailure() {
        S3Failure failure = withoutCredentials();
        assertThat(failure.code()).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(failure.retry()).isFalse();
        assertThat(failure.why()).contains("AWS_ACCESS_KEY_ID");
    }

    /**
     * EKS Pod Identity, ECS and web identities can be unavailable for seconds when a pod starts.
     */
    @ParameterizedTest
    @CsvSource({
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_EC2_METADATA_SERVICE_ENDPOINT"
    })
    void anUnavailableCredentialServiceIsRetried(SdkSystemSetting setting) {
        S3Failure failure = withoutCredentials(setting);
        assertThat(failure.code()).isEqualTo(ErrorCode.LAKE_UNAVAILABLE);
        assertThat(failure.retry()).isTrue();
    }

    /** For example a profile whose process, or whose role, gives none just now. */
    @Test
    void aFailedProviderThatIsConfiguredIsRetried() {
        S3Failure failure =
                S3Failure.withoutCredentials(
                        NONE.replace(
                                "[",
                                "[ProfileCredentialsProvider(profileName=a): the process ended with 1, "),
                        _ -> false,
                        false);
        assertThat(failure.retry()).isTrue();
        assertThat(failure.why()).contains("the process ended with 1");
    }

    @Test
    void anUnavailableInstanceMetadataServiceIsRetried() {
        assertThat(S3Failure.withoutCredentials(NONE, _ -> false, true).retry()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "class/dmi/id/board_vendor, Amazon EC2, true",
        "class/dmi/id/board_vendor, QEMU, false",
        "hypervisor/uuid, EC2E1916-9099-7CAF-FD21-012345ABCDEF, true",
        "hypervisor/uuid, 45e12aec-dcd1-b213-94ed-012345abcdef, false",
        "class/net/none, ec2, false"
    })
    void machinesOfEc2AreKnownByFirmwareAndHypervisor(
            String file, String text, boolean isOfEc2, @TempDir Path sys) throws IOException {
        Files.createDirectories(sys.resolve(file).getParent());
        Files.writeString(sys.resolve(file), text + "\n");
        assertThat(S3Failure.isMachineOfEc2(sys)).isEqualTo(isOfEc2);
    }

    /**
     * The SDK uses the same message for a wrong number in a listing, but a retry of a read may
     * succeed.
     */
    @Test
    void aChecksumMismatchIsRetriedForReadsOnly() {
        SdkClientException wrong =
                SdkClientException.create(
                        "Unable to unmarshall response (Data read has a different checksum)");
        assertThat(S3Failure.of(Request.READ, wrong).retry()).isTrue();
        assertThat(S3Failure.of(Request.LIST, wrong).retry()).isFalse();
    }

    @Test
    void otherClientFailuresAreRetried() {
        S3Failure failure = S3Failure.of(Request.READ, SdkClientException.create("reset by peer"));
        assertThat(failure)
                .isEqualTo(new S3Failure(ErrorCode.LAKE_UNAVAILABLE, true, "reset by peer"));
    }
}
