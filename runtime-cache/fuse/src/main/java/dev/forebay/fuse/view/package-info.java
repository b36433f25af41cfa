/**
 * The views of versions on a node. A version appears file by file through FUSE. Its EROFS image may
 * lie on top of that, over packs that FUSE serves. The same image over packs on the node's disk may
 * lie on top of both.
 */
@NullMarked
package dev.forebay.fuse.view;

import org.jspecify.annotations.NullMarked;
