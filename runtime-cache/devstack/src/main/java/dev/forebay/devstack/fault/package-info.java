/** Faults of a network and of a server behind it, for tests. */
@NullMarked
package dev.forebay.devstack.fault;

import org.jspecify.annotations.NullMarked;
