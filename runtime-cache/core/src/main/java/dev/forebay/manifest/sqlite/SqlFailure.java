package dev.forebay.manifest.sqlite;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import java.sql.SQLException;

/** Maps SQLite's errors for a manifest file to Forebay's error codes. */
public final class SqlFailure {

    // Primary result codes, https://www.sqlite.org/rescode.html
    private static final int CORRUPT = 11;
    private static final int FULL = 13;
    private static final int NOT_A_DATABASE = 26;
    private static final int PRIMARY_CODE = 0xff;

    private SqlFailure() {}

    public static ForebayException of(Path file, SQLException e) {
        ErrorCode code =
                switch (e.getErrorCode() & PRIMARY_CODE) {
                    case CORRUPT, NOT_A_DATABASE -> ErrorCode.CORRUPT;
                    case FULL -> ErrorCode.CAPACITY_EXCEEDED;
                    default -> ErrorCode.INTERNAL;
                };
        return new ForebayException(code, "manifest file " + file + ": " + e.getMessage(), e);
    }

    /** Returns SQLite's failure for a damaged file, for code that does not know the file. */
    static SQLException corrupt(String why) {
        return new SQLException(why, null, CORRUPT);
    }

    static ForebayException damaged(Path file, String why) {
        return new ForebayException(ErrorCode.CORRUPT, "manifest file " + file + ": " + why);
    }
}
