@NullMarked
package dev.forebay.workflows;

import org.jspecify.annotations.NullMarked;
