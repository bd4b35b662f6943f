// Package value holds the values that cross the boundary of the sync core: instants, object ids,
// event ids, public keys and the handles that stand for names.
//
// What may enter: small comparable values and their text forms. What may not: behaviour of the core,
// clocks, I/O. Everything here compares with ==; a Handle is for look-up only and never decides
// identity between two processes (T-03).
package value
