/**
 * The catalogue in PostgreSQL: what people and the API look up. Knows neither Temporal nor etcd.
 */
@NullMarked
package dev.forebay.control.catalogue;

import org.jspecify.annotations.NullMarked;
