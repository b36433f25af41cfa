/** Client of S3-compatible object stores. The only package that uses the AWS SDK. */
@NullMarked
package dev.forebay.lake.s3;

import org.jspecify.annotations.NullMarked;
