/**
 * Real servers as processes of this machine, with the faults a test wants to cause: killed, paused,
 * restarted on the same port and data. Data, log and process id of a server are in the one
 * directory it is given.
 */
@NullMarked
package dev.forebay.devstack.server;

import org.jspecify.annotations.NullMarked;
