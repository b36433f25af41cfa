package dev.forebay.lake.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.lake.LakeObject;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.sts.StsClient;

/**
 * A web identity. Token service and lake are stand-ins that follow the documented APIs of AWS's
 * Security Token Service and of S3. They check no signatures, because no server available here
 * accepts keys with a session token.
 */
class LakeCredentialsTest {

    private static final String ROLE = "arn:aws:iam::123456789012:role/forebay";
    private static final String ROLE_PROPERTY = "aws.roleArn";
    private static final String FILE_PROPERTY = "aws.webIdentityTokenFile";
    private static final String KEY_PROPERTY = "aws.accessKeyId";
    private static final String SECRET_PROPERTY = "aws.secretAccessKey";

    private static final String KEY = "AKIAOFTHEROLE";
    private static final String SESSION = "of the session";

    @TempDir Path directory;

    /** For each request to the lake, the key and region of its signature, and its session token. */
    private final List<String> shown = new CopyOnWriteArrayList<>();

    private final List<Map<String, String>> asked = new CopyOnWriteArrayList<>();
    private HttpServer tokenService;
    private Path token;
    private volatile int status = 200;
    private volatile Duration life = Duration.ofHours(1);

    @BeforeEach
    void start() throws IOException {
        tokenService =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        tokenService.createContext("/", this::answer);
        tokenService.createContext("/lake", this::list);
        tokenService.start();
        token = Files.writeString(directory.resolve("token"), "first-token");
        System.setProperty(ROLE_PROPERTY, ROLE);
        System.setProperty(FILE_PROPERTY, token.toString());
    }

    @AfterEach
    void stop() {
        tokenService.stop(0);
        for (String property :
                List.of(ROLE_PROPERTY, FILE_PROPERTY, KEY_PROPERTY, SECRET_PROPERTY)) {
            System.clearProperty(property);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            asked.add(
                    form(
                            new String(
                                    exchange.getRequestBody().readAllBytes(),
                                    StandardCharsets.UTF_8)));
            byte[] body = (status == 200 ? key() : refusal()).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/xml");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private void list(HttpExchange exchange) throws IOException {
        try (exchange) {
            String credential =
                    exchange.getRequestHeaders()
                            .getFirst("Authorization")
                            .replaceAll(".*Credential=([^/]+)/[0-9]+/([^/]+)/.*", "$1 $2");
            shown.add(
                    credential
                            + ", "
                            + exchange.getRequestHeaders().getFirst("X-Amz-Security-Token"));
            byte[] body =
                    """
                    <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
                      <Name>lake</Name><Prefix></Prefix><KeyCount>1</KeyCount><MaxKeys>10</MaxKeys>
                      <IsTruncated>false</IsTruncated>
                      <Contents>
                        <Key>a.txt</Key><LastModified>2026-11-01T00:00:00.000Z</LastModified>
                        <ETag>"0cc175b9c0f1b6a831c399e269772661"</ETag><Size>1</Size>
                        <StorageClass>STANDARD</StorageClass>
                      </Contents>
                    </ListBucketResult>
                    """
                            .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/xml");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static Map<String, String> form(String body) {
        Map<String, String> form = new HashMap<>();
        for (String field : body.split("&", -1)) {
            String[] parts = field.split("=", 2);
            form.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return form;
    }

    private String key() {
        return """
               <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
                 <AssumeRoleWithWebIdentityResult>
                   <AssumedRoleUser><Arn>%s</Arn><AssumedRoleId>a:b</AssumedRoleId></AssumedRoleUser>
                   <Credentials>
                     <AccessKeyId>%s</AccessKeyId>
                     <SecretAccessKey>%s</SecretAccessKey>
                     <SessionToken>%s</SessionToken>
                     <Expiration>%s</Expiration>
                   </Credentials>
                 </AssumeRoleWithWebIdentityResult>
               </AssumeRoleWithWebIdentityResponse>
               """
                .formatted(
                        ROLE,
                        KEY,
                        "secret",
                        SESSION,
                        Instant.now().plus(life).truncatedTo(ChronoUnit.SECONDS));
    }

    private String refusal() {
        return """
               <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
                 <Error><Type>Sender</Type><Code>%s</Code><Message>no</Message></Error>
               </ErrorResponse>
               """
                .formatted(status == 400 ? "InvalidIdentityToken" : "ServiceUnavailable");
    }

    private S3LakeConfig config() {
        URI here = URI.create("http://127.0.0.1:" + tokenService.getAddress().getPort());
        return S3LakeConfig.of(here, "eu-west-1", true).withStsEndpoint(here);
    }

    private static List<String> keys(S3Lake lake) {
        return lake.listing("lake", "").page(null, 10).objects().stream()
                .map(LakeObject::key)
                .toList();
    }

    @Test
    void aLakeExchangesTheTokenOfThisProcessForAKey() {
        try (S3Lake lake = S3Lake.open(config())) {
            assertThat(keys(lake)).containsExactly("a.txt");
            assertThat(keys(lake)).containsExactly("a.txt");
        }

        assertThat(shown).containsOnly(KEY + " eu-west-1, " + SESSION);
        assertThat(asked).hasSize(1);
        assertThat(asked.getFirst())
                .containsEntry("Action", "AssumeRoleWithWebIdentity")
                .containsEntry("RoleArn", ROLE)
                .containsEntry("WebIdentityToken", "first-token");
    }

    @Test
    void aLakeRenewsAnExpiringKeyWithTheCurrentToken() throws IOException {
        life = Duration.ofSeconds(30);
        try (S3Lake lake = S3Lake.open(config())) {
            assertThat(keys(lake)).containsExactly("a.txt");
            Files.writeString(token, "second-token");
            life = Duration.ofHours(1);

            assertThat(keys(lake)).containsExactly("a.txt");
        }

        assertThat(asked)
                .extracting(form -> form.get("WebIdentityToken"))
                .startsWith("first-token")
                .endsWith("second-token");
    }

    /** Unlike missing credentials, this failure is retried. */
    @Test
    void aLakeAsksAnUnavailableTokenServiceAgain() {
        status = 503;
        try (S3Lake lake = S3Lake.open(config())) {
            assertThatExceptionOfType(ForebayException.class)
                    .isThrownBy(() -> keys(lake))
                    .satisfies(
                            failure ->
                                    assertThat(failure.code())
                                            .isEqualTo(ErrorCode.LAKE_UNAVAILABLE));
            status = 200;

            assertThat(keys(lake)).containsExactly("a.txt");
        }
    }

    @Test
    void aRefusedTokenFailsWithLakeDenied() {
        status = 400;
        try (S3Lake lake = S3Lake.open(config())) {
            assertThatExceptionOfType(ForebayException.class)
                    .isThrownBy(() -> keys(lake))
                    .satisfies(
                            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.LAKE_DENIED))
                    .withMessageContaining("InvalidIdentityToken");
        }
    }

    @Test
    void aConfiguredKeyTakesPrecedenceOverTheToken() {
        System.setProperty(KEY_PROPERTY, "given");
        System.setProperty(SECRET_PROPERTY, "secret");
        try (S3Lake lake = S3Lake.open(config())) {
            assertThat(keys(lake)).containsExactly("a.txt");
        }

        assertThat(shown).containsOnly("given eu-west-1, null");
        assertThat(asked).isEmpty();
    }

    @Test
    void aLakeUsesTheTokenServiceOfItsRegionUnlessAnotherIsConfigured() {
        S3LakeConfig config = S3LakeConfig.of(null, "ap-northeast-2", true);
        try (StsClient own = LakeCredentials.tokenService(config, Map.of());
                StsClient other =
                        LakeCredentials.tokenService(
                                config.withStsEndpoint(URI.create("http://sts:1")), Map.of())) {
            assertThat(own.serviceClientConfiguration().region().id()).isEqualTo("ap-northeast-2");
            assertThat(own.serviceClientConfiguration().endpointOverride()).isEmpty();
            assertThat(other.serviceClientConfiguration().endpointOverride())
                    .contains(URI.create("http://sts:1"));
        }
    }
}
