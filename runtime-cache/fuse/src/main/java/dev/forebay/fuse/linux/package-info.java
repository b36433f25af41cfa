/**
 * System calls that Java has no class for, through {@code java.lang.foreign}, with the layouts of
 * 64-bit Linux (the same on x86-64 and aarch64, glibc and musl).
 */
@NullMarked
package dev.forebay.fuse.linux;

import org.jspecify.annotations.NullMarked;
