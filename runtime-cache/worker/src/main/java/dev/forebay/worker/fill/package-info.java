/**
 * How a chunk that is not here gets here: once, however many ask, from other workers or else from
 * the lake. Blocks; knows neither HTTP nor Quarkus.
 */
@NullMarked
package dev.forebay.worker.fill;

import org.jspecify.annotations.NullMarked;
