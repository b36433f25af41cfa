/** Tests the rendered chart. */
@NullMarked
package dev.forebay.chart;

import org.jspecify.annotations.NullMarked;
