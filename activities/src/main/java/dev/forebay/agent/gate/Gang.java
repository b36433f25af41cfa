package dev.forebay.agent.gate;

import dev.forebay.agent.admission.Wish;
import dev.forebay.agent.jobs.Holder;

/** Pods that ask for the same on behalf of the same: one request, one pin. */
record Gang(Holder holder, Wish wish) {}
