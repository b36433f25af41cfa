/**
 * A client of the control plane's REST API, for parts of Forebay that use it like any other client.
 */
@NullMarked
package dev.forebay.service.api;

import org.jspecify.annotations.NullMarked;
