/**
 * Walks over what a dataset is made of: whole prefixes by many requests at once, on disk so that
 * memory stays flat and a walk that ends early is gone on with, or the keys of a list.
 */
@NullMarked
package dev.forebay.lake.walk;

import org.jspecify.annotations.NullMarked;
