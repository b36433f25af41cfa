/**
 * Calls Linux system calls that Java has no class for, through {@code java.lang.foreign}. The
 * layouts are those of 64-bit Linux, the same on x86-64 and aarch64, with glibc and musl.
 */
@NullMarked
package dev.forebay.linux;

import org.jspecify.annotations.NullMarked;
