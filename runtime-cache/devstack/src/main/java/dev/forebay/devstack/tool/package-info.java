/**
 * Finds the servers and tools: a program on PATH, the cache below {@code ~/.cache/forebay}, else a
 * package registry with pinned versions. A cached tool needs no network.
 */
@NullMarked
package dev.forebay.devstack.tool;

import org.jspecify.annotations.NullMarked;
