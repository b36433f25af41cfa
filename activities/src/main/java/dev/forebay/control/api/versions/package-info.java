/** Requests about versions, their pins and their progress. */
@NullMarked
package dev.forebay.control.api.versions;

import org.jspecify.annotations.NullMarked;
