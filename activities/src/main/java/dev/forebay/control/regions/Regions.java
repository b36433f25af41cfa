package dev.forebay.control.regions;

import dev.forebay.control.ControlPlaneConfig;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.model.Sibling;
import dev.forebay.service.gateway.PinsReport;
import dev.forebay.service.gateway.RegionReport;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.Renewal;
import dev.forebay.service.gateway.SurveyRequest;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.service.gateway.VerifyReport;
import dev.forebay.service.gateway.VerifyRequest;
import dev.forebay.transfer.AccountPage;
import dev.forebay.workflows.message.Problem;
import jakarta.inject.Singleton;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The regions that are configured. Safe for use by many threads. */
@Singleton
public class Regions {

    private final AgentGateway gateway;
    private final SortedMap<String, URI> agents = new TreeMap<>();
    private final Set<String> onPremises;
    private final Map<String, Integer> gpus = new HashMap<>();

    Regions(AgentGateway gateway, ControlPlaneConfig config) {
        this.gateway = gateway;
        config.regions().forEach((name, region) -> agents.put(name, region.agent()));
        this.onPremises =
                config.regions().entrySet().stream()
                        .filter(region -> region.getValue().onPremises())
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toUnmodifiableSet());
        config.regions()
                .forEach((name, region) -> region.gpus().ifPresent(count -> gpus.put(name, count)));
    }

    /**
     * A region and what its agent says of it.
     *
     * @param report empty if the agent does not answer
     * @param problem why the region takes nothing on at the moment
     */
    public record Reported(
            RegionName name, URI agent, Optional<RegionReport> report, Optional<Problem> problem) {}

    /** Every region's name. */
    public Set<String> names() {
        return agents.keySet();
    }

    /**
     * The region of this name.
     *
     * @throws ForebayException {@code UNKNOWN_REGION}, naming those that are known
     */
    public RegionName require(String name) {
        if (!agents.containsKey(name)) {
            throw new ForebayException(
                    ErrorCode.UNKNOWN_REGION,
                    "region '%s' is not one of this installation: %s"
                            .formatted(
                                    name,
                                    agents.isEmpty()
                                            ? "it has none (forebay.regions.<name>.agent)"
                                            : String.join(", ", agents.keySet())));
        }
        return new RegionName(name);
    }

    /** Renews a pin where it lives, or is empty if it has ended. */
    public Optional<Renewal> renew(RegionName region, DatasetVersion version, String pinId) {
        return gateway.renew(agent(region), region, version, pinId);
    }

    /**
     * A page of what a worker has counted.
     *
     * @param after the next of the page before; -1 for the first
     */
    public AccountPage accounts(RegionName region, String worker, int after) {
        return gateway.accounts(agent(region), region, worker, after);
    }

    /** Lets a worker forget a closed account, if it has not changed since this revision. */
    public void settle(RegionName region, String worker, String account, long revision) {
        gateway.settle(agent(region), region, worker, account, revision);
    }

    private URI agent(RegionName region) {
        return Objects.requireNonNull(agents.get(require(region.value()).value()));
    }

    /**
     * A region as others take bytes from it; empty if its gateway's address says too much for that.
     */
    public Optional<Sibling> sibling(RegionName region) {
        try {
            return Optional.of(new Sibling(agent(region), isOnPremises(region)));
        } catch (ForebayException unusable) {
            return Optional.empty();
        }
    }

    /** Whether a region is a site of one's own, not a cloud's. */
    public boolean isOnPremises(RegionName region) {
        return onPremises.contains(region.value());
    }

    /** How many GPUs a job can get in a region at most, if somebody has stated it. */
    public @Nullable Integer gpus(RegionName region) {
        return gpus.get(region.value());
    }

    /**
     * What a region has of a version, and how much room for it.
     *
     * @throws ForebayException {@code UNAVAILABLE} if its agent does not answer
     */
    public RegionSurvey survey(
            RegionName region, DatasetVersion version, @Nullable ManifestRef manifest) {
        return survey(region, new SurveyRequest(version.toString(), manifest, false));
    }

    /**
     * As {@link #survey}, but for what is missing of the version: quicker, for no worker is asked.
     */
    public RegionSurvey room(RegionName region, DatasetVersion version, ManifestRef manifest) {
        return survey(region, new SurveyRequest(version.toString(), manifest, true));
    }

    /** As {@link #survey}, of no version: what takes room in a region, and what waits for some. */
    public RegionSurvey occupancy(RegionName region) {
        return survey(region, new SurveyRequest(null, null, true));
    }

    private RegionSurvey survey(RegionName region, SurveyRequest asked) {
        URI agent = agents.get(require(region.value()).value());
        return gateway.survey(Objects.requireNonNull(agent), region, asked);
    }

    /**
     * What a region's chunk stores hold, and for whom.
     *
     * @throws ForebayException {@code UNAVAILABLE} if its agent does not answer
     */
    public UsageReport usage(RegionName region) {
        URI agent = agents.get(require(region.value()).value());
        return gateway.usage(Objects.requireNonNull(agent), region);
    }

    /**
     * The pins that a region's etcd holds.
     *
     * @throws ForebayException {@code UNAVAILABLE} if its agent does not answer
     */
    public PinsReport pins(RegionName region) {
        URI agent = agents.get(require(region.value()).value());
        return gateway.pins(Objects.requireNonNull(agent), region);
    }

    /**
     * Fetches a manifest that is mounted in a region to a file that does not exist yet.
     *
     * @throws ForebayException {@code NOT_FOUND} if the region has no copy; {@code UNAVAILABLE} if
     *     its agent does not answer
     */
    public void manifest(RegionName region, Digest manifest, Path file) {
        gateway.manifest(agent(region), region, manifest, file);
    }

    /**
     * Has a region's workers compare chunks of a mounted version with their checksums, from one on,
     * for as long as an answer may take.
     *
     * @throws ForebayException {@code UNAVAILABLE} if its agent does not answer
     */
    public VerifyReport verify(RegionName region, VerifyRequest asked) {
        return gateway.verify(agent(region), region, asked);
    }

    /** Asks all agents at once. */
    public List<Reported> reports() {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            return agents.entrySet().stream()
                    .map(agent -> CompletableFuture.supplyAsync(() -> report(agent), executor))
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
        }
    }

    private Reported report(Map.Entry<String, URI> agent) {
        RegionName region = new RegionName(agent.getKey());
        try {
            RegionReport report = gateway.report(agent.getValue(), region);
            return new Reported(
                    region,
                    agent.getValue(),
                    Optional.of(report),
                    report.etcdReachable() ? Optional.empty() : Optional.of(etcdIsAway(region)));
        } catch (ForebayException unreachable) {
            return new Reported(
                    region,
                    agent.getValue(),
                    Optional.empty(),
                    Optional.of(
                            new Problem(
                                    unreachable.code(), String.valueOf(unreachable.getMessage()))));
        }
    }

    private static Problem etcdIsAway(RegionName region) {
        return new Problem(
                ErrorCode.UNAVAILABLE,
                "etcd of region %s does not answer its agent: fillings, pins and evictions wait for it; what is mounted stays readable"
                        .formatted(region));
    }
}
