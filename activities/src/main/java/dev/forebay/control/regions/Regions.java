package dev.forebay.control.regions;

import dev.forebay.control.config.ControlPlaneConfig;
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
import dev.forebay.thread.ParallelCalls;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The configured regions. Thread-safe. */
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
     * A region and the report of its agent.
     *
     * @param report empty if the agent does not answer
     * @param problem why the region accepts no work at the moment; empty if it does
     */
    public record Reported(
            RegionName name, URI agent, Optional<RegionReport> report, Optional<Problem> problem) {}

    /** Returns the names of all regions. */
    public Set<String> names() {
        return agents.keySet();
    }

    /**
     * Returns the region of this name.
     *
     * @throws ForebayException {@code UNKNOWN_REGION}, naming the known ones
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

    /** Renews a pin in its region. Returns empty if the pin has ended. */
    public Optional<Renewal> renew(RegionName region, DatasetVersion version, String pinId) {
        return gateway.renew(agent(region), region, version, pinId);
    }

    /**
     * Returns a page of a worker's accounts.
     *
     * @param after {@code next} of the page before; -1 for the first page
     */
    public AccountPage accounts(RegionName region, String worker, int after) {
        return gateway.accounts(agent(region), region, worker, after);
    }

    /** Lets a worker forget a closed account, unless it has changed since this revision. */
    public void settle(RegionName region, String worker, String account, long revision) {
        gateway.settle(agent(region), region, worker, account, revision);
    }

    private URI agent(RegionName region) {
        return Objects.requireNonNull(agents.get(require(region.value()).value()));
    }

    /**
     * Returns a region as a source for other regions; empty if its gateway's address cannot be
     * passed on, for example because it contains credentials.
     */
    public Optional<Sibling> sibling(RegionName region) {
        try {
            return Optional.of(new Sibling(agent(region), isOnPremises(region)));
        } catch (ForebayException unusable) {
            return Optional.empty();
        }
    }

    /** Returns whether a region is an on-premises site, not a cloud region. */
    public boolean isOnPremises(RegionName region) {
        return onPremises.contains(region.value());
    }

    /**
     * Returns the maximum number of GPUs that a job can get in a region; null if it is not
     * configured.
     */
    public @Nullable Integer gpus(RegionName region) {
        return gpus.get(region.value());
    }

    /**
     * Returns what a region has of a version, and its capacity for it.
     *
     * @throws ForebayException {@code UNAVAILABLE} if its agent does not answer
     */
    public RegionSurvey survey(
            RegionName region, DatasetVersion version, @Nullable ManifestRef manifest) {
        return survey(region, new SurveyRequest(version.toString(), manifest, false));
    }

    /**
     * As {@link #survey}, without the missing bytes of the version. Faster, because the agent asks
     * no worker.
     */
    public RegionSurvey spaceSurvey(
            RegionName region, DatasetVersion version, ManifestRef manifest) {
        return survey(region, new SurveyRequest(version.toString(), manifest, true));
    }

    /**
     * As {@link #survey}, without a version: returns what takes capacity in a region, and what
     * waits for it.
     */
    public RegionSurvey occupancy(RegionName region) {
        return survey(region, new SurveyRequest(null, null, true));
    }

    private RegionSurvey survey(RegionName region, SurveyRequest asked) {
        URI agent = agents.get(require(region.value()).value());
        return gateway.survey(Objects.requireNonNull(agent), region, asked);
    }

    /**
     * Returns the contents of a region's chunk stores, by version.
     *
     * @throws ForebayException {@code UNAVAILABLE} if its agent does not answer
     */
    public UsageReport usage(RegionName region) {
        URI agent = agents.get(require(region.value()).value());
        return gateway.usage(Objects.requireNonNull(agent), region);
    }

    /**
     * Returns the pins in a region's etcd.
     *
     * @throws ForebayException {@code UNAVAILABLE} if its agent does not answer
     */
    public PinsReport pins(RegionName region) {
        URI agent = agents.get(require(region.value()).value());
        return gateway.pins(Objects.requireNonNull(agent), region);
    }

    /**
     * Downloads a manifest that is mounted in a region. The file must not exist yet.
     *
     * @throws ForebayException {@code NOT_FOUND} if the region has no copy; {@code UNAVAILABLE} if
     *     its agent does not answer
     */
    public void manifest(RegionName region, Digest manifest, Path file) {
        gateway.manifest(agent(region), region, manifest, file);
    }

    /**
     * Lets a region's workers compare chunks of a mounted version with their checksums. Starts at a
     * given chunk and ends after the time that an answer may take.
     *
     * @throws ForebayException {@code UNAVAILABLE} if its agent does not answer
     */
    public VerifyReport verify(RegionName region, VerifyRequest asked) {
        return gateway.verify(agent(region), region, asked);
    }

    /** Asks all agents at once and returns their reports. */
    public List<Reported> reports() {
        return ParallelCalls.map(agents.entrySet(), this::report);
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
                "etcd of region %s does not answer its agent: fills, pins and evictions wait for it, and mounted versions stay readable"
                        .formatted(region));
    }
}
