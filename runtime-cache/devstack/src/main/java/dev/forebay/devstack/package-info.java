/**
 * Forebay and all servers that it needs, as real processes on one machine. {@code tool} obtains the
 * servers, {@code server} runs one, {@code stack} runs all of them together with Forebay itself,
 * {@code cli} is the command behind {@code make up}.
 */
@NullMarked
package dev.forebay.devstack;

import org.jspecify.annotations.NullMarked;
