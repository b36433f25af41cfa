package dev.forebay.lake.s3;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/** Compares the body of an answer with the content of a file. Blocks. */
final class SameBytes implements ResponseTransformer<GetObjectResponse, Boolean> {

    private static final int PIECE_BYTES = 64 << 10;

    private final Path file;
    private final LongAdder received;

    /**
     * @param received counts bytes of bodies
     */
    SameBytes(Path file, LongAdder received) {
        this.file = file;
        this.received = received;
    }

    @Override
    public Boolean transform(GetObjectResponse response, AbortableInputStream body)
            throws IOException {
        try (InputStream expected = new BufferedInputStream(Files.newInputStream(file))) {
            byte[] piece;
            do {
                piece = body.readNBytes(PIECE_BYTES);
                received.add(piece.length);
                if (!Arrays.equals(piece, expected.readNBytes(PIECE_BYTES))) {
                    // Closing the connection is cheaper than reading the rest of the body.
                    body.abort();
                    return false;
                }
            } while (piece.length > 0);
        }
        return true;
    }
}
