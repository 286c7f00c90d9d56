/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xoshiro256** of Blackman and Vigna, seeded through splitmix64 as they
 * advise.  Integers only, so a seed means the same on every machine.
 */
#pragma once

#include <stdint.h>

struct prng {
	uint64_t word[4];
};

static inline void prng_seed(struct prng *prng, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		prng->word[i] = z ^ z >> 31;
	}
}

static inline uint64_t prng_next(struct prng *prng)
{
	uint64_t *w = prng->word;
	uint64_t fives = w[1] * 5;
	uint64_t result = (fives << 7 | fives >> 57) * 9;
	uint64_t shifted = w[1] << 17;

	w[2] ^= w[0];
	w[3] ^= w[1];
	w[1] ^= w[2];
	w[0] ^= w[3];
	w[2] ^= shifted;
	w[3] = w[3] << 45 | w[3] >> 19;
	return result;
}

/* 0 to bound - 1; bound is at most 2^32, so no value is favoured by more
 * than one draw in 2^32.
 */
static inline uint64_t prng_below(struct prng *prng, uint64_t bound)
{
	return (prng_next(prng) >> 32) * bound >> 32;
}

/* The same for any bound: bits enough, drawn again while they are too many. */
static inline unsigned __int128 prng_below_wide(struct prng *prng,
						unsigned __int128 bound)
{
	unsigned __int128 mask = 0, drawn;

	if (bound <= UINT64_C(1) << 32)
		return prng_below(prng, bound);
	while (mask < bound - 1)
		mask = mask << 1 | 1;
	do {
		drawn = (unsigned __int128)prng_next(prng) << 64;
		drawn = (drawn | prng_next(prng)) & mask;
	} while (drawn >= bound);
	return drawn;
}
