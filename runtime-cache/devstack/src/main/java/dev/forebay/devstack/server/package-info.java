/**
 * Real servers as processes of this machine, with the faults that tests need: kill, pause, and
 * restart on the same port and data. A server keeps its data, log and process id in one directory.
 */
@NullMarked
package dev.forebay.devstack.server;

import org.jspecify.annotations.NullMarked;
