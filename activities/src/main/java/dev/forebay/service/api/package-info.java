/** The REST API of the control plane, for whoever is a client of it as everybody is. */
@NullMarked
package dev.forebay.service.api;

import org.jspecify.annotations.NullMarked;
