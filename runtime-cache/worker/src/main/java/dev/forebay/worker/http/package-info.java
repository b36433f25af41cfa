/**
 * The server side of the worker protocol: checks requests, passes them to virtual threads, and
 * writes answers and problems. The only package that uses Vert.x.
 */
@NullMarked
package dev.forebay.worker.http;

import org.jspecify.annotations.NullMarked;
