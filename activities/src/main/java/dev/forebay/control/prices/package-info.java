/** What bytes, requests and disk cost in each region, as the configuration says. */
@NullMarked
package dev.forebay.control.prices;

import org.jspecify.annotations.NullMarked;
