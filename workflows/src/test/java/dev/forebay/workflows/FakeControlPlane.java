package dev.forebay.workflows;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.model.Sibling;
import dev.forebay.workflows.activity.BudgetActivities;
import dev.forebay.workflows.activity.CatalogueActivities;
import dev.forebay.workflows.activity.IngestActivities;
import dev.forebay.workflows.activity.SiblingActivities;
import dev.forebay.workflows.activity.SpaceActivities;
import dev.forebay.workflows.activity.SweepActivities;
import dev.forebay.workflows.activity.TrackingActivities;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Urgency;
import dev.forebay.workflows.message.VersionStatus;
import dev.forebay.workflows.message.Victim;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A lake with one listing, and a catalogue that records all calls. */
public final class FakeControlPlane
        implements IngestActivities,
                CatalogueActivities,
                SweepActivities,
                BudgetActivities,
                SiblingActivities,
                SpaceActivities,
                TrackingActivities {

    static final long CHUNKS = 100;
    public static final ManifestRef MANIFEST =
            new ManifestRef(
                    "s3://forebay/manifests/abc.sqlite",
                    new Digest("ab".repeat(32)),
                    7,
                    CHUNKS * FakeRegion.CHUNK_BYTES,
                    CHUNKS);

    private final List<VersionStatus> projected = new ArrayList<>();
    private final List<Victim> victims = new CopyOnWriteArrayList<>();
    private final Queue<ErrorCode> failures = new ArrayDeque<>();
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile boolean budgetSpent;
    private final AtomicInteger budgetRefusals = new AtomicInteger();
    private volatile List<Sibling> siblings = List.of();
    private volatile boolean siblingsUnknown;
    private final List<HistoryEntry> historyEntries = new ArrayList<>();
    private int ingests;
    private @Nullable ErrorCode catalogueFailure;
    private final List<Long> revisions = new ArrayList<>();
    private int projections;
    private final List<Urgency> spaceRequests = new ArrayList<>();
    private @Nullable Long quota;
    private volatile Runnable beforeSpaceIsFreed = () -> {};

    /** Adds a victim that every later sweep finds. */
    void addVictim(Victim victim) {
        victims.add(victim);
    }

    synchronized void failIngest(ErrorCode code) {
        failures.add(code);
    }

    /** Makes every later projection fail with {@code code}, or succeed if null. */
    public synchronized void failProjections(@Nullable ErrorCode code) {
        catalogueFailure = code;
    }

    /** Returns the number of projections, failed ones included. */
    synchronized int projections() {
        return projections;
    }

    /** Returns the revisions of all projections, in order. */
    synchronized List<Long> revisions() {
        return List.copyOf(revisions);
    }

    synchronized int ingests() {
        return ingests;
    }

    synchronized List<VersionStatus> projected() {
        return List.copyOf(projected);
    }

    /** Holds up every listing until {@link #openGate}. */
    void closeGate() {
        gate = new CountDownLatch(1);
    }

    void openGate() {
        gate.countDown();
    }

    /** Sets whether namespaces have spent their budgets from now on. */
    void setBudgetSpent(boolean value) {
        budgetSpent = value;
    }

    /** Returns how often a fill was refused because of a spent budget. */
    int budgetRefusals() {
        return budgetRefusals.get();
    }

    /** Sets which sibling regions are cheaper than the lake from now on. */
    void setSiblings(Sibling... cheaper) {
        siblings = List.of(cheaper);
        siblingsUnknown = false;
    }

    /** Makes the choice of sibling regions fail. */
    void failSiblings() {
        siblingsUnknown = true;
    }

    /** Returns the history entries that the catalogue has received, in order. */
    public synchronized List<HistoryEntry> historyEntries() {
        return List.copyOf(historyEntries);
    }

    @Override
    public void requireBudget(String namespace) {
        if (budgetSpent) {
            budgetRefusals.incrementAndGet();
            throw Failures.of(
                    new ForebayException(ErrorCode.BUDGET_SPENT, namespace + " has spent it"));
        }
    }

    @Override
    public List<Sibling> siblings(DatasetVersion version, RegionName region, ManifestRef manifest) {
        if (siblingsUnknown) {
            throw Failures.of(new ForebayException(ErrorCode.NOT_FOUND, "no such dataset"));
        }
        return siblings;
    }

    @Override
    public ManifestRef ingest(DatasetVersion version) {
        try {
            gate.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ingested();
    }

    private synchronized ManifestRef ingested() {
        ingests++;
        ErrorCode code = failures.poll();
        if (code != null) {
            throw Failures.of(new ForebayException(code, "the fake lake says " + code));
        }
        return MANIFEST;
    }

    @Override
    public synchronized void project(VersionStatus status, long revision, List<HistoryEntry> news) {
        projections++;
        if (catalogueFailure != null) {
            throw Failures.of(new ForebayException(catalogueFailure, "the fake catalogue fails"));
        }
        projected.add(status);
        historyEntries.addAll(news);
        revisions.add(revision);
    }

    /** Sets the quota of all namespaces from now on. */
    public synchronized void setQuota(@Nullable Long bytes) {
        quota = bytes;
    }

    /** Runs {@code work} whenever space is to be freed. */
    public void beforeSpaceIsFreed(Runnable work) {
        beforeSpaceIsFreed = work;
    }

    /** Returns the priorities of all requests to free space, in order. */
    public synchronized List<Urgency> spaceRequests() {
        return List.copyOf(spaceRequests);
    }

    /** Reports a changed lake, or fails as set by {@link #failIngest}. */
    @Override
    public synchronized Check check(DatasetName dataset, String version) {
        ManifestRef _ = ingested();
        return new Check(new DatasetVersion(dataset, version), 1, 2, 3);
    }

    @Override
    public void failed(DatasetName dataset, Problem problem) {}

    @Override
    public synchronized @Nullable Long quota(DatasetVersion version, RegionName region) {
        return quota;
    }

    @Override
    public FreedSpace freeSpace(
            DatasetVersion version, ManifestRef manifest, RegionName region, Urgency urgency) {
        beforeSpaceIsFreed.run();
        return spaceFreed(urgency);
    }

    private synchronized FreedSpace spaceFreed(Urgency urgency) {
        spaceRequests.add(urgency);
        return new FreedSpace(List.of(), quota);
    }

    @Override
    public List<Victim> findVictims(RegionName region, int limit) {
        return List.copyOf(victims);
    }

    @Override
    public Outcome evictVictim(Victim victim, RegionName region) {
        return new Outcome(
                victim.version(), false, "this control plane evicts nothing", victim.reason());
    }

    @Override
    public boolean isOrphan(Victim victim, RegionName region) {
        return true;
    }
}
