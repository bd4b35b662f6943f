// Package wire turns records into bytes and back with one traversal: the same function of a record writes
// it or reads it, so that the two cannot disagree. Integers have fixed width and the lowest byte first;
// lists carry their length.
//
// What may enter: the coder and the plain values of package value. What may not: records of the core,
// versions, meanings; who codes a record knows those.
//
// Reading is safe on hostile bytes: an error instead of a panic, and never more memory than a small
// multiple of the input, since a list's length is held against the bytes that are left. Each value has
// exactly one encoding, so what was read without an error is written again as the same bytes.
package wire
