package dev.forebay.lake.s3;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;

/**
 * Directory buckets of S3 Express list keys in no order, so they are refused. Their names, and
 * those of their access points, end in a way that S3 reserves for them.
 */
final class DirectoryBucket {

    private static final String BUCKET = "--x-s3";
    private static final String ACCESS_POINT = "--xa-s3";

    private DirectoryBucket() {}

    static boolean isNamed(String bucket) {
        return bucket.endsWith(BUCKET) || bucket.endsWith(ACCESS_POINT);
    }

    /**
     * Returns the refusal.
     *
     * @param what the bucket, for people
     */
    static ForebayException refused(String what) {
        return new ForebayException(
                ErrorCode.LAKE_UNSUPPORTED,
                what
                        + " is in a directory bucket of S3 Express, which lists keys in no order: keep the data in a general purpose bucket");
    }
}
