/** Requests as they are stored. */
@NullMarked
package dev.forebay.control.catalogue.requests;

import org.jspecify.annotations.NullMarked;
