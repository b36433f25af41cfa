/**
 * The regional agent: the activities of one region, and the gateway for the control plane and for
 * other regions.
 */
@NullMarked
package dev.forebay.agent;

import org.jspecify.annotations.NullMarked;
