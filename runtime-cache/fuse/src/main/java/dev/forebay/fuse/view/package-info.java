/**
 * How a version appears on this node: file by file through FUSE, or on top of that by its EROFS
 * image, over packs that FUSE serves.
 */
@NullMarked
package dev.forebay.fuse.view;

import org.jspecify.annotations.NullMarked;
