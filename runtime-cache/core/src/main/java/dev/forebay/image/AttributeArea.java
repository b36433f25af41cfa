package dev.forebay.image;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * Writes the values of extended attributes. They are separate from the inodes, because a walk or an
 * open reads only inodes.
 */
final class AttributeArea {

    private static final int ID_BYTES = 4;
    private static final int HEADER_BYTES = 4;
    private static final int MAX_VALUE_BYTES = 0xffff;
    private static final long MAX_ID = 0xffff_ffffL;

    private final Area area;

    AttributeArea(FileChannel channel) {
        area = new Area(channel, 0);
    }

    /** Adds a value and returns the number by which inodes refer to it. */
    int add(Attribute attribute, byte[] value) throws IOException {
        if (value.length > MAX_VALUE_BYTES) {
            throw new ForebayException(
                    ErrorCode.INVALID_KEY,
                    "an object's %s has %d bytes, more than an extended attribute can have"
                            .formatted(attribute, value.length));
        }
        long id = area.bytes() / ID_BYTES;
        if (id > MAX_ID) {
            throw Erofs.tooLarge("attributes of more than 16 GiB");
        }
        byte[] name = attribute.storedName();
        area.extend(HEADER_BYTES + name.length + value.length)
                .put((byte) name.length)
                .put(Attribute.USER)
                .putShort((short) value.length)
                .put(name)
                .put(value);
        area.align(ID_BYTES);
        return (int) id;
    }

    /** Writes the buffered bytes and returns the size of the area in bytes. */
    long finish() throws IOException {
        area.flush();
        return area.bytes();
    }
}
