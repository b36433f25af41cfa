package dev.forebay.workflows.pin;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.PinRequest;

/** The key of a pin of a version, whichever holder it has. */
record PinKey(RegionName region, String id) {

    static PinKey of(PinGrant pin) {
        return new PinKey(pin.region(), pin.id());
    }

    static PinKey of(PinRequest request) {
        return new PinKey(request.region(), request.id());
    }
}
