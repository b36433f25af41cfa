package dev.forebay.lake.s3;

import java.net.URI;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.StsClientBuilder;
import software.amazon.awssdk.services.sts.auth.StsWebIdentityTokenFileCredentialsProvider;

/**
 * Finds this process's credentials for the lake with the AWS default chain, if none are configured.
 * A web identity is handled outside the chain, with Forebay's own settings: the chain would treat a
 * token service that does not answer like missing credentials.
 */
final class LakeCredentials {

    private LakeCredentials() {}

    static AwsCredentialsProvider find(S3LakeConfig config, Map<String, String> environment) {
        return isGiven(SdkSystemSetting.AWS_ACCESS_KEY_ID)
                        || !isGiven(SdkSystemSetting.AWS_WEB_IDENTITY_TOKEN_FILE)
                        || !isGiven(SdkSystemSetting.AWS_ROLE_ARN)
                ? DefaultCredentialsProvider.builder().build()
                // Uses the same settings for role and file as the chain. The file is read again for
                // each new key.
                : StsWebIdentityTokenFileCredentialsProvider.builder()
                        .stsClient(tokenService(config, environment))
                        .build();
    }

    private static boolean isGiven(SdkSystemSetting setting) {
        return setting.getStringValue().filter(value -> !value.isBlank()).isPresent();
    }

    /** Creates a client of the token service, which exchanges another issuer's token for a key. */
    static StsClient tokenService(S3LakeConfig config, Map<String, String> environment) {
        LakeProxy proxy = LakeProxy.to(address(config, environment), environment);
        StsClientBuilder builder =
                StsClient.builder()
                        .region(Region.of(config.region()))
                        .credentialsProvider(AnonymousCredentialsProvider.create())
                        .httpClientBuilder(
                                Apache5HttpClient.builder()
                                        .proxyConfiguration(proxy.forApache())
                                        .connectionTimeout(config.connectTimeout())
                                        .socketTimeout(config.idleTimeout()));
        if (config.stsEndpoint() != null) {
            builder.endpointOverride(config.stsEndpoint());
        }
        return builder.build();
    }

    private static URI address(S3LakeConfig config, Map<String, String> environment) {
        return Optional.ofNullable(config.stsEndpoint())
                .or(() -> NamedEndpoint.of("STS", environment))
                .orElseGet(
                        () ->
                                URI.create(
                                        "https://"
                                                + StsClient.serviceMetadata()
                                                        .endpointFor(Region.of(config.region()))));
    }
}
