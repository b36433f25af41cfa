/**
 * Temporal workflow interfaces and their deterministic implementations. No I/O.
 *
 * <p>A running workflow replays its history with the present code, so it must send the same
 * commands in the same order. {@code LifecycleReplayTest} replays one recorded history for each
 * feature.
 *
 * <ul>
 *   <li>If a history of a released version does not replay after a change, the code keeps the old
 *       behaviour for runs that have begun: {@code Workflow.getVersion("what changes",
 *       Workflow.DEFAULT_VERSION, 1) == 1} selects the new one. {@code HistoryRecorder} records the
 *       feature again, in a new file beside the old one.
 *   <li>The branch and the old history go when no supported upgrade starts from a release without
 *       the change.
 *   <li>Before the first release, record the feature again instead.
 *   <li>A field that is added to an input or a message is null in payloads of the release before,
 *       in both directions of a rolling upgrade.
 * </ul>
 */
@NullMarked
package dev.forebay.workflows;

import org.jspecify.annotations.NullMarked;
