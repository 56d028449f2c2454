/**
 * What SHA-256 and SHA-512 (FIPS 180-4) begin with: the first bits behind the point of the roots
 * of the first primes. They are worked out here rather than copied, so that none can be mistyped.
 */
const ROUNDS = 80;
const MASK_64 = (1n << 64n) - 1n;

function firstPrimes(count: number): bigint[] {
  const primes: bigint[] = [];
  for (let candidate = 2n; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0n)) primes.push(candidate);
  }
  return primes;
}

/** The largest whole number whose power is not above `value`. */
function rootOf(value: bigint, power: bigint): bigint {
  let [low, high] = [0n, 1n << 80n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** power <= value) low = middle;
    else high = middle;
  }
  return low;
}

/** 64 bits behind the point of a root of each prime. */
function fractions(primes: bigint[], power: bigint): bigint[] {
  return primes.map((prime) => rootOf(prime << (64n * power), power) & MASK_64);
}

const primes = firstPrimes(ROUNDS);

export const K_512: readonly bigint[] = fractions(primes, 3n);
export const START_512: readonly bigint[] = fractions(primes.slice(0, 8), 2n);

const upper = (word: bigint) => Number(word >> 32n);
export const K_256 = Uint32Array.from(K_512.slice(0, 64), upper);
export const START_256 = Uint32Array.from(START_512, upper);
