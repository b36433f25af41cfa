/** What Helm makes of the chart. */
@NullMarked
package dev.forebay.chart;

import org.jspecify.annotations.NullMarked;
