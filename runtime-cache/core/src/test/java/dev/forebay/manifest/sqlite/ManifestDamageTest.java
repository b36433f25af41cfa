package dev.forebay.manifest.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.lake.LakeObject;
import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.write.Listings;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * "How a manifest is verified". A disk flips a bit of an open manifest, in a row or in an index.
 * Each answer must be right, or the read must fail: bytes that are mistaken for padding would be
 * served as zeros, and a lost name would hide a file.
 */
class ManifestDamageTest {

    private static final String PREFIX = "data/";
    private static final int FLIPS = 200;

    private static final int OBJECTS = 300;

    /** Pages begin within groups of names. */
    private static final int PAGE = 20;

    @TempDir Path directory;

    /** Reads everything that workers, agents and node caches read about chunks. */
    private static List<Object> chunks(Manifest manifest) {
        List<Object> answers = new ArrayList<>();
        for (ChunkRef chunk : manifest.chunks(0, Integer.MAX_VALUE)) {
            answers.add(chunk);
            answers.add(manifest.segments(chunk.chunk()));
        }
        return answers;
    }

    /** Reads everything that mounts read about the tree, with names that do not exist. */
    private static List<Object> tree(Manifest manifest) {
        List<Object> answers = new ArrayList<>();
        Deque<Long> directories = new ArrayDeque<>(List.of(Node.ROOT_ID));
        while (!directories.isEmpty()) {
            long id = directories.remove();
            answers.add(manifest.node(id));
            answers.add(manifest.lookup(id, "absent"));
            for (Node child : readdir(manifest, id)) {
                answers.add(child);
                answers.add(manifest.lookup(id, child.name()));
                answers.add(manifest.lookup(id, child.name() + "-"));
                answers.add(manifest.node(child.id()));
                if (child instanceof Node.Directory) {
                    directories.add(child.id());
                }
            }
        }
        return answers;
    }

    private static List<Node> readdir(Manifest manifest, long id) {
        List<Node> all = new ArrayList<>();
        for (List<Node> page = manifest.readdir(id, "", PAGE);
                !page.isEmpty();
                page = manifest.readdir(id, page.getLast().name(), PAGE)) {
            all.addAll(page);
        }
        return all;
    }

    @Test
    void aFlippedBitNeverChangesTheObjectsOfAChunk() throws IOException {
        flip(ManifestDamageTest::chunks);
    }

    @Test
    void aFlippedBitNeverChangesTheTree() throws IOException {
        flip(ManifestDamageTest::tree);
    }

    private void flip(Function<Manifest, List<Object>> answers) throws IOException {
        Random random = new Random(7);
        Map<String, LakeObject> listing = Listings.random(random, PREFIX, OBJECTS);
        Path file =
                Listings.write(directory.resolve("v1"), PREFIX, listing.values(), 64 << 20, null)
                        .path();
        byte[] bytes = Files.readAllBytes(file);
        List<Object> expected;
        try (Manifest manifest = SqliteManifest.open(file)) {
            expected = answers.apply(manifest);
        }
        int noticed = 0;
        for (int flip = 0; flip < FLIPS; flip++) {
            int at = random.nextInt(bytes.length);
            int bit = 1 << random.nextInt(8);
            try (Manifest manifest = SqliteManifest.open(file)) {
                bytes[at] ^= (byte) bit;
                Files.write(file, bytes);
                assertThat(answers.apply(manifest))
                        .as("byte %s, bit %s", at, bit)
                        .isEqualTo(expected);
            } catch (ForebayException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT);
                noticed++;
            } finally {
                bytes[at] ^= (byte) bit;
                Files.write(file, bytes);
            }
        }
        assertThat(noticed).as("flips that mattered").isGreaterThan(FLIPS / 10);
    }

    /** Simulates a page of the index that refers to the wrong rows. */
    @Test
    void segmentsFailsIfTheIndexHasLostAnObject() throws Exception {
        Map<String, LakeObject> listing = Listings.random(new Random(8), PREFIX, 100);
        Path file =
                Listings.write(directory.resolve("v1"), PREFIX, listing.values(), 64 << 20, null)
                        .path();
        try (var connection = java.sql.DriverManager.getConnection("jdbc:sqlite:" + file);
                var update = connection.createStatement()) {
            assertThat(
                            update.executeUpdate(
                                    "DELETE FROM node WHERE id = (SELECT max(id) FROM node WHERE size > 0)"))
                    .isEqualTo(1);
        }
        try (Manifest manifest = SqliteManifest.open(file)) {
            List<ErrorCode> failures =
                    manifest.chunks(0, Integer.MAX_VALUE).stream()
                            .flatMap(chunk -> failure(manifest, chunk))
                            .toList();
            assertThat(failures).isNotEmpty().containsOnly(ErrorCode.CORRUPT);
        }
    }

    private static Stream<ErrorCode> failure(Manifest manifest, ChunkRef chunk) {
        try {
            assertThat(manifest.segments(chunk.chunk())).isNotEmpty();
            return Stream.empty();
        } catch (ForebayException e) {
            return Stream.of(e.code());
        }
    }
}
