/** The file of a chunk: its name, its footer, and its checksums. */
@NullMarked
package dev.forebay.chunkstore.file;

import org.jspecify.annotations.NullMarked;
