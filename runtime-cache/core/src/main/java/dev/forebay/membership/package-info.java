/**
 * The shared state of a region in its etcd: workers, mounts, pins and the queue for space. The only
 * package that uses etcd's client.
 */
@NullMarked
package dev.forebay.membership;

import org.jspecify.annotations.NullMarked;
