/**
 * The cache worker: keeps chunks on its disk, serves ranges of packs from them and fetches what is
 * missing, once. This package wires the parts together; it is the only one that knows Quarkus.
 */
@NullMarked
package dev.forebay.worker;

import org.jspecify.annotations.NullMarked;
