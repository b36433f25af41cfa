/** What both roles of the application share: configuration, the listener's guard, problems. */
@NullMarked
package dev.forebay.service;

import org.jspecify.annotations.NullMarked;
