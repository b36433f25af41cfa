package dev.forebay.agent;

import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionState;
import dev.forebay.model.ForebayException;
import dev.forebay.service.gateway.PinsReport;
import dev.forebay.service.gateway.PinsReport.Held;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Asks the region's etcd how long each pin still lives. Safe for use by many threads. */
@Singleton
class RegionPins {

    /** Each costs etcd two small questions. */
    private static final int AT_ONCE = 16;

    private final RegionState region;

    RegionPins(RegionState region) {
        this.region = region;
    }

    /**
     * The pins that are alive.
     *
     * @throws ForebayException {@code UNAVAILABLE} if etcd does not answer
     */
    PinsReport report() {
        List<Pin> known = region.view().pins();
        try (ExecutorService executor =
                Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory())) {
            List<CompletableFuture<Optional<Held>>> asked =
                    known.stream()
                            .map(pin -> CompletableFuture.supplyAsync(() -> held(pin), executor))
                            .toList();
            return new PinsReport(
                    asked.stream().map(CompletableFuture::join).flatMap(Optional::stream).toList());
        } catch (CompletionException e) {
            throw e.getCause() instanceof ForebayException cause ? cause : e;
        }
    }

    private Optional<Held> held(Pin pin) {
        return region.remaining(pin.version(), pin.id())
                .map(
                        left ->
                                new Held(
                                        pin.version(),
                                        pin.id(),
                                        pin.holder(),
                                        pin.reason(),
                                        pin.lease().toSeconds(),
                                        left.toSeconds(),
                                        pin.job()));
    }
}
