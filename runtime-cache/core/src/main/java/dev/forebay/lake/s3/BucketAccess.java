package dev.forebay.lake.s3;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.scheme.NoAuthAuthScheme;
import software.amazon.awssdk.http.auth.spi.scheme.AuthSchemeOption;
import software.amazon.awssdk.services.s3.S3BaseClientBuilder;
import software.amazon.awssdk.services.s3.auth.scheme.S3AuthSchemeProvider;

/**
 * Buckets that need other access than the rest of the lake.
 *
 * @param anonymous public buckets, which are read without credentials
 * @param requesterPays buckets whose owner bills each requester for requests and transfer
 */
public record BucketAccess(Set<String> anonymous, Set<String> requesterPays) {

    /** Every bucket is accessed with the configured credentials, at its owner's cost. */
    public static final BucketAccess USUAL = new BucketAccess(Set.of(), Set.of());

    private static final String ANONYMOUS = "forebay.lake.anonymous-buckets";
    private static final String REQUESTER_PAYS = "forebay.lake.requester-pays-buckets";
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");

    public BucketAccess {
        requireNames(ANONYMOUS, anonymous);
        requireNames(REQUESTER_PAYS, requesterPays);
        anonymous = Set.copyOf(anonymous);
        requesterPays = Set.copyOf(requesterPays);
        for (String bucket : requesterPays) {
            if (anonymous.contains(bucket)) {
                throw new ForebayException(
                        ErrorCode.INVALID_ARGUMENT,
                        "%s is %s: it must not name a bucket of %s, because requests without credentials cannot be billed"
                                .formatted(REQUESTER_PAYS, bucket, ANONYMOUS));
            }
        }
    }

    /** Creates it from the two settings. */
    public static BucketAccess of(
            Optional<List<String>> anonymous, Optional<List<String>> requesterPays) {
        return new BucketAccess(
                Set.copyOf(anonymous.orElse(List.of())),
                Set.copyOf(requesterPays.orElse(List.of())));
    }

    /**
     * Checks that Forebay can write to a bucket.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if the bucket is accessed without
     *     credentials
     */
    public void requireWritable(String bucket) {
        if (anonymous.contains(bucket)) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s is %s: it must not name forebay.manifest-bucket, to which Forebay writes"
                            .formatted(ANONYMOUS, bucket));
        }
    }

    private static void requireNames(String setting, Set<String> buckets) {
        for (String bucket : buckets) {
            if (!NAME.matcher(bucket).matches()) {
                throw new ForebayException(
                        ErrorCode.INVALID_ARGUMENT,
                        "%s is %s: it must be names of buckets, separated by commas"
                                .formatted(setting, bucket));
            }
        }
    }

    /** Configures a client to access each bucket as required. */
    <B extends S3BaseClientBuilder<B, ?>> void applyTo(B builder) {
        S3AuthSchemeProvider usual = S3AuthSchemeProvider.defaultProvider();
        AuthSchemeOption unsigned =
                AuthSchemeOption.builder().schemeId(NoAuthAuthScheme.SCHEME_ID).build();
        builder.putAuthScheme(NoAuthAuthScheme.create())
                .authSchemeProvider(
                        request ->
                                request.bucket() != null && anonymous.contains(request.bucket())
                                        ? List.of(unsigned)
                                        : usual.resolveAuthScheme(request));
    }

    /**
     * Returns an interceptor that adds the request-payer header to requests for a bucket of {@link
     * #requesterPays}.
     */
    ExecutionInterceptor payer() {
        return new ExecutionInterceptor() {
            @Override
            public SdkHttpRequest modifyHttpRequest(
                    Context.ModifyHttpRequest context, ExecutionAttributes attributes) {
                return context.request()
                        .getValueForField("Bucket", String.class)
                        .filter(requesterPays::contains)
                        .map(
                                bucket ->
                                        context.httpRequest().toBuilder()
                                                .putHeader("x-amz-request-payer", "requester")
                                                .build())
                        .orElse(context.httpRequest());
            }
        };
    }
}
