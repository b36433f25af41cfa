package dev.forebay.fuse.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class MountIndexTest {

    private static final Mount DIGITS = mount("vision/digits@v1", 'a', Mount.State.CACHED);
    private static final Mount LETTERS = mount("text/letters@v1", 'b', Mount.State.WARMING);

    private static Mount mount(String version, char digest, Mount.State state) {
        return new Mount(
                DatasetVersion.parse(version),
                new ManifestRef(
                        "s3://b/k", new Digest(String.valueOf(digest).repeat(64)), 100, 10, 3),
                state);
    }

    private static MountIndex index(Mount... mounts) {
        return new MountIndex(List.of(mounts), InodeNumbers.unkept());
    }

    /** Returns the inode numbers of the directories along a path, the root last. */
    private static long inode(MountIndex index, String... names) {
        MountIndex.Upper upper = Objects.requireNonNull(index.upper(FileSystemView.ROOT));
        long inode = upper.inode();
        for (String name : names) {
            inode = Objects.requireNonNull(upper.children().get(name)).inode();
            if (upper.children().get(name) instanceof MountIndex.Upper below) {
                upper = below;
            }
        }
        return inode;
    }

    /** Two pods of a node without ledgers assign the same numbers. */
    @Test
    void inodeNumbersDoNotDependOnTheOrderOfTheMountTable() {
        MountIndex one = index(DIGITS, LETTERS);
        MountIndex other = index(LETTERS, DIGITS);

        for (String[] path :
                new String[][] {
                    {"vision"}, {"vision", "digits"}, {"vision", "digits", "v1"}, {"text"}
                }) {
            assertThat(inode(one, path)).isEqualTo(inode(other, path));
        }
    }

    @Test
    void aVersionIsFoundByItsInode() {
        MountIndex index = index(DIGITS, LETTERS);
        long inode = inode(index, "vision", "digits", "v1");

        assertThat(Objects.requireNonNull(index.versionOf(inode)).name())
                .isEqualTo(DIGITS.version());
        assertThat(index.versions().values())
                .extracting(MountIndex.Version::mount)
                .containsExactlyInAnyOrder(DIGITS, LETTERS);
        assertThat(index.upper(inode)).isNull();
    }

    @Test
    void aVersionThatIsBeingEvictedIsNotShown() {
        MountIndex index = index(DIGITS, mount("text/letters@v1", 'b', Mount.State.EVICTING));

        assertThat(Objects.requireNonNull(index.upper(FileSystemView.ROOT)).children())
                .containsOnlyKeys("vision");
    }

    @Test
    void aVersionWithAnotherManifestHasOtherInodes() {
        InodeNumbers inodes = InodeNumbers.unkept();
        MountIndex before = new MountIndex(List.of(DIGITS), inodes);
        MountIndex after =
                new MountIndex(List.of(mount("vision/digits@v1", 'c', Mount.State.CACHED)), inodes);

        assertThat(inode(after, "vision", "digits")).isEqualTo(inode(before, "vision", "digits"));
        assertThat(inode(after, "vision", "digits", "v1"))
                .isNotEqualTo(inode(before, "vision", "digits", "v1"));
    }

    @Test
    void statisticsAreTheSumsOverAllVersions() {
        assertThat(index(DIGITS, LETTERS).statistics())
                .isEqualTo(
                        new Statistics(
                                2 * DIGITS.manifest().bytes(), 2 * DIGITS.manifest().objects()));
    }
}
