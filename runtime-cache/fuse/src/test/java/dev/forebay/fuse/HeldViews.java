package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.view.View;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Makes a pod of a held mount show a version natively, before each test. */
@SuppressWarnings("NullAway.Init") // started before each
abstract class HeldViews {

    @TempDir Path directory;
    HeldMountFixture region;
    Running holder;
    Running pod;

    @BeforeEach
    void showNatively() throws Exception {
        region = new HeldMountFixture(directory);
        holder = region.holder();
        pod = region.serving(holder, "pod-0");
        region.awaitImage();
        readAll();
        region.awaitView(View.NATIVE);
    }

    @AfterEach
    void endAll() throws Exception {
        region.close();
    }

    void readAll() {
        TestDataset.assertShows(region.root(), CheckingReader.objects());
    }

    Running restarted(String... more) throws IOException {
        return region.serving(holder, "pod-0", more);
    }

    /** Waits until the pod, which reads the mount table when it serves, counts the view. */
    void awaitCountedAsNative() throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!Double.valueOf(1).equals(views(pod).get("native"))) {
            assertThat(System.nanoTime()).as("counted as native").isLessThan(deadline);
            LockSupport.parkNanos(50_000_000);
        }
    }

    private static Map<String, Double> views(Running pod) throws Exception {
        String metrics = scrape(pod);
        return Map.of(
                "native", value("forebay_fuse_views\\{view=\"native\"} (.*)", metrics),
                "on_demand", value("forebay_fuse_views\\{view=\"on_demand\"} (.*)", metrics));
    }

    static double value(String pattern, String metrics) {
        Matcher found = Pattern.compile(pattern).matcher(metrics);
        assertThat(found.find()).as(metrics).isTrue();
        return Double.parseDouble(found.group(1));
    }

    static String scrape(Running pod) throws Exception {
        pod.await("/metrics");
        Matcher address = Pattern.compile("http://127[^ ]+/metrics").matcher(pod.printed());
        assertThat(address.find()).isTrue();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(address.group())).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
