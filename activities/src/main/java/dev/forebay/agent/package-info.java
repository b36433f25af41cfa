/** The regional agent: the activities of one region, and the gateway for renewing pins in it. */
@NullMarked
package dev.forebay.agent;

import org.jspecify.annotations.NullMarked;
