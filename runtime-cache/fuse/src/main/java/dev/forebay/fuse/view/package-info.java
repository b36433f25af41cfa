/**
 * How a version appears on this node: file by file through FUSE, on top of that by its EROFS image,
 * over packs that FUSE serves, and on top of that by the same image over packs on the node's disk.
 */
@NullMarked
package dev.forebay.fuse.view;

import org.jspecify.annotations.NullMarked;
