/** The catalogue in PostgreSQL: lookups, lists and read models. Does not use Temporal or etcd. */
@NullMarked
package dev.forebay.control.catalogue;

import org.jspecify.annotations.NullMarked;
