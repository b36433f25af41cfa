/**
 * The cache worker: keeps chunks on its disks, serves ranges of packs from them, and fetches
 * missing chunks once. This package connects the parts, and is the only one that uses Quarkus.
 */
@NullMarked
package dev.forebay.worker;

import org.jspecify.annotations.NullMarked;
