package dev.forebay.fuse;

class NativeTreeFuseIT extends NativeTreeContract {}
