/** A lake behind the S3 protocol. The only package that knows the AWS SDK. */
@NullMarked
package dev.forebay.lake.s3;

import org.jspecify.annotations.NullMarked;
