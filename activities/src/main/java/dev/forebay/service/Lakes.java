package dev.forebay.service;

import dev.forebay.lake.Lake;
import dev.forebay.lake.s3.BucketAccess;
import dev.forebay.lake.s3.S3Lake;
import dev.forebay.lake.s3.S3LakeConfig;
import dev.forebay.settings.Startup;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Produces the connection to the lake. */
@Singleton
class Lakes {

    @Produces
    @Singleton
    Lake lake(ServiceConfig config) {
        ServiceConfig.LakeSettings lake = config.lake();
        return Startup.get(() -> S3Lake.open(config(lake)));
    }

    private static S3LakeConfig config(ServiceConfig.LakeSettings lake) {
        return S3LakeConfig.of(lake.endpoint().orElse(null), lake.region(), lake.pathStyle())
                .withStsEndpoint(lake.stsEndpoint().orElse(null))
                .withBuckets(BucketAccess.of(lake.anonymousBuckets(), lake.requesterPaysBuckets()));
    }

    void close(@Disposes Lake lake) {
        lake.close();
    }
}
