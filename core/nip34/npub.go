package nip34

import "graspsync/core"

const bech32Digits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// Npub is the text form of a public key: "npub1" and 58 characters (NIP-19).
func Npub(k core.PubKey) string {
	const prefix = "npub"
	b := append(make([]byte, 0, 63), prefix+"1"...)
	sum := uint32(1)
	step := func(v byte) {
		top := sum >> 25
		sum = sum&(1<<25-1)<<5 ^ uint32(v)
		for i, g := range [...]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				sum ^= g
			}
		}
	}
	for i := range prefix {
		step(prefix[i] >> 5)
	}
	step(0)
	for i := range prefix {
		step(prefix[i] & 31)
	}
	digit := func(v byte) {
		step(v)
		b = append(b, bech32Digits[v])
	}
	acc, bits := uint32(0), 0
	for _, c := range k {
		acc, bits = acc<<8|uint32(c), bits+8
		for ; bits >= 5; bits -= 5 {
			digit(byte(acc >> (bits - 5) & 31))
		}
	}
	digit(byte(acc << (5 - bits) & 31)) // 256 bits are 51 digits and one bit
	for range 6 {
		step(0)
	}
	sum ^= 1
	for i := range 6 {
		b = append(b, bech32Digits[sum>>(5*(5-i))&31])
	}
	return string(b)
}
