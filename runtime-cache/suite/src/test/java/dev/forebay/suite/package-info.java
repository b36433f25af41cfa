@org.jspecify.annotations.NullMarked
package dev.forebay.suite;
