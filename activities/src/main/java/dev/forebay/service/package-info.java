/** The parts that both roles share: configuration, the listener's guard, problems. */
@NullMarked
package dev.forebay.service;

import org.jspecify.annotations.NullMarked;
