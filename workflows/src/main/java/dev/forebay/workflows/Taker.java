package dev.forebay.workflows;

/** Somebody for whom pins are taken: one call, in all of its regions. */
final class Taker {}
