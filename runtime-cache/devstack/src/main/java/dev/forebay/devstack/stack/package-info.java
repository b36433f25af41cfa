/**
 * Forebay as a whole on one machine: the lake, Temporal, PostgreSQL, regions with their etcd,
 * agent, workers and FUSE mount, and the control plane. {@link dev.forebay.devstack.stack.Stack} is
 * for tests, {@link dev.forebay.devstack.stack.StackOnDisk} for the command line.
 */
@NullMarked
package dev.forebay.devstack.stack;

import org.jspecify.annotations.NullMarked;
