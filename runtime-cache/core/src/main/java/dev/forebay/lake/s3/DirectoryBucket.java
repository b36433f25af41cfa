package dev.forebay.lake.s3;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;

/**
 * Recognises directory buckets of S3 Express. They are refused because they list keys in no order.
 * S3 reserves special suffixes for their names and for those of their access points.
 */
final class DirectoryBucket {

    private static final String BUCKET = "--x-s3";
    private static final String ACCESS_POINT = "--xa-s3";

    private DirectoryBucket() {}

    static boolean isNamed(String bucket) {
        return bucket.endsWith(BUCKET) || bucket.endsWith(ACCESS_POINT);
    }

    /**
     * Returns the error for such a bucket.
     *
     * @param what the bucket, for messages
     */
    static ForebayException refused(String what) {
        return new ForebayException(
                ErrorCode.LAKE_UNSUPPORTED,
                what
                        + " is in a directory bucket of S3 Express, which does not list keys in "
                        + "order: keep the data in a general purpose bucket");
    }
}
