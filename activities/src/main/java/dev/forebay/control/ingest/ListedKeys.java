package dev.forebay.control.ingest;

import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.lake.Lake;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.walk.KeyList;
import dev.forebay.lake.walk.KeyListWalk;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Lists the objects of a source that has a list of keys. Thread-safe. */
@Singleton
class ListedKeys {

    private final Lake lake;
    private final ControlPlaneConfig.Ingest config;

    ListedKeys(Lake lake, ControlPlaneConfig config) {
        this.lake = lake;
        this.config = config.ingest();
    }

    /**
     * Passes the objects to {@code each}, in the order of their keys.
     *
     * @param source a source with a list of keys
     * @param folder an empty folder for the list
     * @param listed receives the number of objects so far
     * @return the list that was read
     * @throws dev.forebay.model.ForebayException {@code LAKE_EMPTY} if keys are not in the lake,
     *     {@code INVALID_KEY} if lines are not keys below the prefix, or one of {@code LAKE_*}
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
