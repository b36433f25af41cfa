/** The configured prices of bytes, requests and disk space in each region. */
@NullMarked
package dev.forebay.control.prices;

import org.jspecify.annotations.NullMarked;
