package dev.forebay.lake.s3;

/**
 * Access key for the lake, given directly instead of through the AWS default chain. The secret is
 * never printed.
 */
public record S3Credentials(String accessKey, String secretKey) {

    @Override
    public String toString() {
        return "S3Credentials[" + accessKey + ", hidden]";
    }
}
