/** The state of a region in etcd: sessions, transactions and watches. */
@NullMarked
package dev.forebay.membership.etcd;

import org.jspecify.annotations.NullMarked;
