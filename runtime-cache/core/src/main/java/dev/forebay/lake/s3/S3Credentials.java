package dev.forebay.lake.s3;

/** A key for the lake, given directly instead of by the AWS default chain. Never printed. */
public record S3Credentials(String accessKey, String secretKey) {

    @Override
    public String toString() {
        return "S3Credentials[" + accessKey + ", hidden]";
    }
}
