package dev.forebay.fuse.view;

import dev.forebay.fuse.linux.LoopDevice;
import dev.forebay.fuse.linux.MountStacks;
import dev.forebay.fuse.linux.MountTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads from the kernel what is mounted on the folders of a tree, because other processes may have
 * attached it. The folder of a dataset has {@link dev.forebay.fuse.linux.MountGenerations
 * generations}, in which the images of its versions are mounted.
 */
final class TreeMounts {

    /** The depth of a dataset's folder below the tree. */
    private static final int DATASET_DEPTH = 2;

    private final Path root;
    private final MountStacks stacks;
    private final List<MountTable.Entry> table;
    private final Optional<MountTable.Entry> tree;

    private TreeMounts(Path root, List<MountTable.Entry> table) {
        this.root = root;
        this.table = table;
        this.stacks = new MountStacks(table);
        List<MountTable.Entry> there = stacks.at(root);
        this.tree = there.isEmpty() ? Optional.empty() : Optional.of(there.getLast());
    }

    /** Returns the folder of the dataset that a version's folder belongs to. */
    static Path dataset(Path root, Path folder) {
        return root.resolve(root.relativize(folder).subpath(0, DATASET_DEPTH));
    }

    /** Returns the current mounts below a mount point. */
    static TreeMounts of(Path root) {
        try {
            return new TreeMounts(root, MountTable.read());
        } catch (IOException e) {
            throw new UncheckedIOException("the kernel does not list mounts", e);
        }
    }

    /** Returns the files of the images that are visible at a version's folder, the topmost last. */
    List<Path> images(Path folder) {
        return generations(dataset(root, folder)).stream()
                .reduce((_, later) -> later)
                .map(latest -> stacks.on(latest, folder))
                .orElse(List.of())
                .stream()
                .filter(TreeMounts::isImage)
                .map(TreeMounts::image)
                .toList();
    }

    /** Returns the files of the visible images, by the folders of versions. */
    Map<Path, List<Path>> images() {
        Map<Path, List<Path>> seen = new LinkedHashMap<>();
        below().filter(TreeMounts::isImage)
                .map(MountTable.Entry::mountpoint)
                .distinct()
                .forEach(folder -> seen.put(folder, images(folder)));
        seen.values().removeIf(List::isEmpty);
        return seen;
    }

    /** Returns the files of all images, including those that only earlier programs see. */
    List<Path> allImages() {
        return below().filter(TreeMounts::isImage).map(TreeMounts::image).distinct().toList();
    }

    /**
     * Returns the covered mounts by the folders of datasets. The lists have the folders with
     * mounts, for each generation except the topmost, the latest first. The last list is that of
     * the tree itself.
     */
    Map<Path, List<List<Path>>> covered() {
        Map<Path, List<List<Path>>> covered = new LinkedHashMap<>();
        for (Path dataset : datasets()) {
            List<MountTable.Entry> generations = generations(dataset);
            List<List<Path>> each =
                    generations.subList(0, generations.size() - 1).reversed().stream()
                            .map(generation -> folders(generation, dataset))
                            .toList();
            // The tree itself is never removed.
            if (each.size() > 1 || each.stream().anyMatch(folders -> !folders.isEmpty())) {
                covered.put(dataset, each);
            }
        }
        return covered;
    }

    /** Returns the number of generations on each folder of a dataset. */
    Map<Path, Integer> generations() {
        return datasets().stream()
                .collect(
                        Collectors.toMap(
                                dataset -> dataset, dataset -> generations(dataset).size() - 1));
    }

    /** Returns the folders of datasets that have a mount on them or on a folder in them. */
    private Set<Path> datasets() {
        return below().map(MountTable.Entry::mountpoint)
                .map(folder -> dataset(root, folder))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The first is the tree itself; the others belong to its file system too. */
    private List<MountTable.Entry> generations(Path dataset) {
        if (tree.isEmpty()) {
            return List.of();
        }
        List<MountTable.Entry> generations = new ArrayList<>(List.of(tree.get()));
        stacks.on(tree.get(), dataset).stream()
                .takeWhile(mount -> mount.device().equals(tree.get().device()))
                .forEach(generations::add);
        return generations;
    }

    private List<Path> folders(MountTable.Entry generation, Path dataset) {
        return stacks.on(generation).stream()
                .map(MountTable.Entry::mountpoint)
                .filter(folder -> dataset.equals(folder.getParent()))
                .toList();
    }

    private Stream<MountTable.Entry> below() {
        int names = root.getNameCount() + DATASET_DEPTH;
        return tree.isEmpty()
                ? Stream.empty()
                : table.stream()
                        .filter(mount -> mount.mountpoint().startsWith(root))
                        .filter(mount -> mount.mountpoint().getNameCount() >= names);
    }

    static boolean isImage(MountTable.Entry mount) {
        return mount.type().equals("erofs");
    }

    /** Returns the file of a mounted image. */
    static Path image(MountTable.Entry mount) {
        return LoopDevice.fileOf(mount.source()).orElse(Path.of(mount.source()));
    }
}
