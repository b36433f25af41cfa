package dev.forebay.fuse.view;

import dev.forebay.fuse.linux.DetachedMount;
import dev.forebay.fuse.linux.MountCalls;
import dev.forebay.fuse.linux.SystemCallException;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the images of versions onto their folders in the mounted tree, and takes them off again. A
 * version is seen at its path without one, too, so nothing waits for it.
 *
 * <p>What is attached is asked of the kernel each time, for another process may have served the
 * mount before. Files that are open stay with the view that they were opened in. Safe for use by
 * many threads.
 */
public final class ImageViews implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ImageViews.class);
    private static final Duration RETRY = Duration.ofSeconds(10);

    /** The image's files are in the page cache; the packs below them need not be, too. */
    private static final List<String> OPTIONS = List.of("directio");

    private final Path tree;
    private final Images images;
    private final MountedPacks packs;
    private final BooleanSupplier serving;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(
                    task -> Thread.ofPlatform().daemon().name("views").unstarted(task));

    private volatile List<Mount> shown = List.of();

    /** Why versions could not be attached; of the one thread. */
    private final Map<DatasetVersion, String> problems = new HashMap<>();

    /**
     * Attaches nothing yet, see {@link #show}.
     *
     * @param tree where the tree is mounted, an absolute path
     * @param directory for images, of this process's own
     * @param serving whether this process serves the tree; else its images are another one's affair
     */
    public ImageViews(
            Path tree,
            Path directory,
            ImageSource source,
            MountedPacks packs,
            BooleanSupplier serving) {
        this.tree = tree;
        this.images = new Images(directory, source);
        this.packs = packs;
        this.serving = serving;
        var _ =
                thread.scheduleWithFixedDelay(
                        this::attachMissing,
                        RETRY.toSeconds(),
                        RETRY.toSeconds(),
                        TimeUnit.SECONDS);
    }

    /** Takes off the images of all versions but these, before they leave the tree. */
    public synchronized void retain(List<Mount> mounts) {
        shown = mounts.stream().filter(mount -> mount.state() != Mount.State.EVICTING).toList();
        Map<Path, String> wanted = wanted();
        attached()
                .forEach(
                        (folder, image) -> {
                            if (!image.equals(wanted.get(folder))) {
                                detach(folder);
                            }
                        });
    }

    /**
     * Shows the versions that {@link #retain} was told of by their images, soon. Call it also when
     * this process begins to serve.
     */
    public void show() {
        thread.execute(this::attachMissing);
    }

    /** How many versions are shown by images. */
    public int count() {
        return attached().size();
    }

    private void attachMissing() {
        Map<Path, String> attached = attached();
        for (Mount mount : shown) {
            if (serving.getAsBoolean() && !attached.containsKey(folder(mount))) {
                try {
                    Path image = images.of(mount);
                    List<Path> devices =
                            packs.of(mount.manifest()).stream()
                                    .map(pack -> device(mount, pack.id()))
                                    .toList();
                    attach(mount, image, devices);
                    problems.remove(mount.version());
                } catch (RuntimeException | SystemCallException e) {
                    complain(mount.version(), e);
                }
            }
        }
        images.keep(Set.copyOf(wanted().values()));
        problems.keySet().retainAll(shown.stream().map(Mount::version).toList());
    }

    /** Once, not at every attempt. */
    private void complain(DatasetVersion version, Exception e) {
        String why = e instanceof ForebayException ? String.valueOf(e.getMessage()) : e.toString();
        if (!why.equals(problems.put(version, why))) {
            LOG.warn("{} is shown file by file, because its image cannot be: {}", version, why);
        }
    }

    /** Not at the same time as it is taken from the tree. */
    private synchronized void attach(Mount mount, Path image, List<Path> devices)
            throws SystemCallException {
        if (shown.contains(mount)) {
            try (DetachedMount view = DetachedMount.erofs(image, devices, OPTIONS)) {
                view.attach(folder(mount));
            }
            LOG.info(
                    "{} is shown by its image, over packs that this process serves",
                    mount.version());
        }
    }

    private void detach(Path folder) {
        try {
            MountCalls.detach(folder);
        } catch (SystemCallException e) {
            LOG.warn("An image stays where its version was: {}", e.getMessage());
        }
    }

    private Map<Path, String> attached() {
        return serving.getAsBoolean() ? AttachedImages.below(tree) : Map.of();
    }

    private Map<Path, String> wanted() {
        return shown.stream().collect(Collectors.toMap(this::folder, Images::fileName));
    }

    private Path folder(Mount mount) {
        return tree.resolve(mount.version().path());
    }

    private Path device(Mount mount, PackId pack) {
        return tree.resolve(PackFolder.NAME)
                .resolve(PackFolder.name(mount.manifest().digest(), pack));
    }

    /** Lets the images be where they are: they go with the tree, or are its next server's. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
