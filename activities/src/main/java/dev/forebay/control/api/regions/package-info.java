/** Requests about regions, and about all of an installation. */
@NullMarked
package dev.forebay.control.api.regions;

import org.jspecify.annotations.NullMarked;
