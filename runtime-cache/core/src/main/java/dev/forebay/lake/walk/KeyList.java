package dev.forebay.lake.walk;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.LakeReader;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ShownText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * An object in the lake that lists keys: one full key of the bucket on each line, in UTF-8, in any
 * order. Empty lines, a carriage return at the end of a line, and a leading byte-order mark are
 * ignored.
 */
public final class KeyList {

    private static final int PIECE_BYTES = 8 << 20;
    private static final int NAMED = 10;
    private static final int LONGEST_KEY_BYTES = 1024;
    private static final String BYTE_ORDER_MARK = "\ufeff";

    private final String uri;
    private final LakeObject object;
    private final Path folder;

    private KeyList(String uri, LakeObject object, Path folder) {
        this.uri = uri;
        this.object = object;
        this.folder = folder;
    }

    /**
     * Downloads a list.
     *
     * @param folder an existing, empty folder for this list alone; it needs twice the space of the
     *     list
     * @param mostBytes the maximum size of the list, in bytes
     * @throws ForebayException with {@code LAKE_EMPTY} if the object does not exist, {@code
     *     TOO_LARGE}, {@code LAKE_OBJECT_CHANGED} if it is overwritten during the download, or
     *     another {@code LAKE_*} code
     */
    public static KeyList fetch(
            LakeReader lake, String bucket, String key, Path folder, long mostBytes) {
        String uri = "s3://" + bucket + "/" + key;
        LakeObject object =
                lake.listing(bucket, key).page(null, 1).objects().stream()
                        .filter(found -> found.key().equals(key))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new ForebayException(
                                                ErrorCode.LAKE_EMPTY,
                                                "there is no list of keys at %s: upload it"
                                                        .formatted(uri)));
        if (object.size() > mostBytes) {
            throw new ForebayException(
                    ErrorCode.TOO_LARGE,
                    "the list of keys %s has %d bytes, more than forebay.ingest.key-list, %d: raise this setting, or split the list"
                            .formatted(uri, object.size(), mostBytes));
        }
        KeyList list = new KeyList(uri, object, folder);
        list.download(lake, bucket);
        return list;
    }

    /** Returns the list's object, as it was read. */
    public LakeObject object() {
        return object;
    }

    private void download(LakeReader lake, String bucket) {
        try (FileChannel file =
                FileChannel.open(text(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long at = 0; at < object.size(); at += PIECE_BYTES) {
                ByteBuffer piece =
                        ByteBuffer.allocate((int) Math.min(PIECE_BYTES, object.size() - at));
                lake.read(bucket, object, at, piece);
                piece.flip();
                while (piece.hasRemaining()) {
                    file.write(piece);
                }
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private Path text() {
        return folder.resolve("keys.txt");
    }

    /**
     * Returns the keys without duplicates, in the order in which a lake lists them. Messages name
     * lines by number and never quote them: the object may be any that Forebay's credentials can
     * read.
     *
     * @param prefix the prefix that each key must have
     * @throws ForebayException with {@code INVALID_KEY}, naming the first ten lines that are not
     *     keys below the prefix; {@code LAKE_EMPTY} if there is no key
     */
    SortedKeys sorted(String prefix) {
        List<String> invalid = new ArrayList<>();
        SortedKeys.Sorter sorter = new SortedKeys.Sorter(folder);
        forEachLine(
                (number, key) -> {
                    if (key.getBytes(StandardCharsets.UTF_8).length > LONGEST_KEY_BYTES) {
                        invalid.add(line(number, key) + " is too long");
                    } else if (!key.startsWith(prefix)) {
                        invalid.add(line(number, key) + " is not below the source");
                    } else {
                        sorter.add(key);
                    }
                    return invalid.size() < NAMED;
                });
        if (!invalid.isEmpty()) {
            throw new ForebayException(
                    ErrorCode.INVALID_KEY,
                    "%s must list keys of at most 1024 bytes below '%s', one per line: %s"
                            .formatted(uri, prefix, String.join("; ", invalid)));
        }
        if (sorter.isEmpty()) {
            throw new ForebayException(
                    ErrorCode.LAKE_EMPTY, uri + " lists no key: write one key per line");
        }
        return sorter.sorted();
    }

    /** Receives each line that is not empty. */
    private interface EachLine {

        /** Returns whether to continue with the next line. */
        boolean take(long number, String key);
    }

    private void forEachLine(EachLine each) {
        long number = 0;
        // Unlike an InputStreamReader, this reader rejects bytes that are not UTF-8.
        try (Lines lines =
                new Lines(
                        Files.newBufferedReader(text(), StandardCharsets.UTF_8),
                        BYTE_ORDER_MARK.length() + LONGEST_KEY_BYTES + 1)) {
            boolean more = true;
            for (String line = lines.next(); line != null && more; line = lines.next()) {
                number++;
                String key = number == 1 ? withoutMark(line) : line;
                more = key.isEmpty() || each.take(number, key);
            }
        } catch (CharacterCodingException e) {
            throw new ForebayException(
                    ErrorCode.INVALID_KEY,
                    "%s is not UTF-8 text after line %d".formatted(uri, number),
                    e);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Names a line, and notes invisible characters, which an editor may not show. */
    private static String line(long number, String key) {
        boolean hidden = !ShownText.isVisible(key) || key.endsWith(" ");
        return "line " + number + (hidden ? " (has characters that cannot be seen)" : "");
    }

    private static String withoutMark(String line) {
        return line.startsWith(BYTE_ORDER_MARK) ? line.substring(1) : line;
    }

    /**
     * Returns the error for keys of the list that are not in the lake. It names up to ten lines.
     */
    ForebayException missing(Set<String> keys) {
        List<String> missing = new ArrayList<>();
        forEachLine(
                (number, key) -> {
                    if (keys.contains(key)) {
                        missing.add(line(number, key));
                    }
                    return missing.size() < NAMED;
                });
        return new ForebayException(
                ErrorCode.LAKE_EMPTY,
                "%s lists keys that are not in the lake: %s. Upload them, or remove them from the list"
                        .formatted(uri, String.join("; ", missing)));
    }

    private ForebayException failed(IOException e) {
        return new ForebayException(
                ErrorCode.CAPACITY_EXCEEDED, "cannot keep %s in %s".formatted(uri, folder), e);
    }
}
