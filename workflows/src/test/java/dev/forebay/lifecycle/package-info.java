@NullMarked
package dev.forebay.lifecycle;

import org.jspecify.annotations.NullMarked;
