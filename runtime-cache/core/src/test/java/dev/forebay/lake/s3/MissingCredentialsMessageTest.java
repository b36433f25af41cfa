package dev.forebay.lake.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain;
import software.amazon.awssdk.auth.credentials.ContainerCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProcessCredentialsProvider;
import software.amazon.awssdk.auth.credentials.SystemPropertyCredentialsProvider;
import software.amazon.awssdk.auth.credentials.WebIdentityTokenFileCredentialsProvider;

class MissingCredentialsMessageTest {

    private static final String NOT_SET_UP =
            "SystemPropertyCredentialsProvider(): Access key must be specified either here, or there.";

    @Test
    void triedReportsOnlyConfiguredSources() {
        assertThat(
                        MissingCredentialsMessage.tried(
                                "Unable to load credentials from the chain X(all=[A(), B(c=[])]) : ["
                                        + NOT_SET_UP
                                        + ", ProfileCredentialsProvider(file=F(sections=[])): Profile file contained no credentials for profile 'a': F(sections=[])"
                                        + ", ContainerCredentialsProvider(): Failed to load: [refused].]"))
                .isEqualTo("Container: Failed to load: [refused].");
    }

    @Test
    void triedReportsTheWholeMessageIfNoSourceIsConfigured() {
        assertThat(MissingCredentialsMessage.tried("Unable: [" + NOT_SET_UP + "]"))
                .isEqualTo(NOT_SET_UP);
        assertThat(MissingCredentialsMessage.tried("reset by peer")).isEqualTo("reset by peer");
    }

    /** The SDK does not document the format of this message, so a new release may change it. */
    @Test
    void triedUnderstandsTheMessageOfTheSdk() {
        try (AwsCredentialsProviderChain chain =
                AwsCredentialsProviderChain.of(
                        SystemPropertyCredentialsProvider.create(),
                        WebIdentityTokenFileCredentialsProvider.create(),
                        ContainerCredentialsProvider.create(),
                        ProcessCredentialsProvider.builder().command(List.of("false")).build())) {
            String message = String.valueOf(catchThrowable(chain::resolveCredentials).getMessage());

            assertThat(MissingCredentialsMessage.tried(message))
                    .startsWith("Process: ")
                    .doesNotContain("System", "WebIdentity", "Container");
        }
    }
}
