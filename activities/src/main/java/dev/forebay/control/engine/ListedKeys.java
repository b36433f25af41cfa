package dev.forebay.control.engine;

import dev.forebay.control.ControlPlaneConfig;
import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.lake.Lake;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.walk.KeyList;
import dev.forebay.lake.walk.KeyListWalk;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** The objects of a source whose keys are in a list. Safe for use by many threads. */
@Singleton
class ListedKeys {

    private final Lake lake;
    private final ControlPlaneConfig.Ingest config;

    ListedKeys(Lake lake, ControlPlaneConfig config) {
        this.lake = lake;
        this.config = config.ingest();
    }

    /**
     * Tells the objects in the order of their keys.
     *
     * @param source with a list
     * @param folder for the list, empty
     * @param listed called with the objects so far
     * @return the list as it is now
     * @throws dev.forebay.model.ForebayException {@code LAKE_EMPTY} if keys are not in the lake,
     *     {@code INVALID_KEY} if lines are no keys below the prefix, or one of {@code LAKE_*}
     */
    KeyList forEach(
            LakeSource source, Path folder, Consumer<LakeObject> each, LongConsumer listed) {
        LakeSource.Address address = Objects.requireNonNull(source.keysAddress());
        KeyList keys =
                KeyList.fetch(
                        lake,
                        address.bucket(),
                        address.key(),
                        folder,
                        config.keyList().asLongValue());
        new KeyListWalk(
                        lake.listing(source.bucket(), source.prefix()),
                        source.prefix(),
                        source.chosen())
                .forEach(keys, config.requests(), each, listed);
        return keys;
    }
}
