/**
 * Where the servers come from: a program on PATH, the cache below {@code ~/.cache/forebay}, else a
 * package registry, pinned. Once a tool is in the cache no network is needed.
 */
@NullMarked
package dev.forebay.devstack.tool;

import org.jspecify.annotations.NullMarked;
