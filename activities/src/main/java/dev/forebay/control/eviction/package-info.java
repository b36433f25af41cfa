/** Which versions leave a region: what each is worth, the choice of victims, and sweeps. */
@NullMarked
package dev.forebay.control.eviction;

import org.jspecify.annotations.NullMarked;
