/**
 * What a region agrees on in its etcd: workers, mounts and pins. The only package that knows etcd.
 */
@NullMarked
package dev.forebay.membership;

import org.jspecify.annotations.NullMarked;
