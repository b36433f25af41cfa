/** The rows of a region's state, in etcd and in the file that remembers them. */
@NullMarked
package dev.forebay.membership.rows;

import org.jspecify.annotations.NullMarked;
