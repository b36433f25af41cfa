/** Lists and removes mounts, and tells who may mount. */
@NullMarked
package dev.forebay.devstack.mount;

import org.jspecify.annotations.NullMarked;
