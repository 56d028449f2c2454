import { joined } from "./encoding.ts";
import { sha512 } from "./sha512.ts";

/**
 * Checks Ed25519 signatures (RFC 8032 §5.1.7) where the browser cannot. Only public values come
 * here, so that it need not take the same time for each.
 */
const P = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = modulo(-121665n * inverse(121666n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);

/** A point in extended coordinates: x = X/Z, y = Y/Z, T = XY/Z. */
type Point = readonly [x: bigint, y: bigint, z: bigint, t: bigint];
const NEUTRAL: Point = [0n, 1n, 1n, 0n];

function modulo(value: bigint): bigint {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, modulo(base)];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = modulo(result * square);
    square = modulo(square * square);
  }
  return result;
}

function inverse(value: bigint): bigint {
  return power(value, P - 2n);
}

/** The complete addition of §5.1.4, for a point and itself too. */
function sum([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const a = modulo((y1 - x1) * (y2 - x2));
  const b = modulo((y1 + x1) * (y2 + x2));
  const c = modulo(2n * D * t1 * t2);
  const d = modulo(2n * z1 * z2);
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [modulo(e * f), modulo(g * h), modulo(f * g), modulo(e * h)];
}

function times(factor: bigint, point: Point): Point {
  let [result, double] = [NEUTRAL, point];
  for (let left = factor; left > 0n; left >>= 1n) {
    if (left & 1n) result = sum(result, double);
    double = sum(double, double);
  }
  return result;
}

/** The x of a y on the curve with this lowest bit; null where there is none. */
function xOf(y: bigint, odd: bigint): bigint | null {
  const square = modulo((y * y - 1n) * inverse(D * y * y + 1n));
  let x = power(square, (P + 3n) / 8n);
  if (modulo(x * x - square) !== 0n) x = modulo(x * ROOT_OF_MINUS_ONE);
  if (modulo(x * x - square) !== 0n || (x === 0n && odd === 1n)) return null;
  return (x & 1n) === odd ? x : P - x;
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

function pointOf(y: bigint, odd: bigint): Point | null {
  const x = y < P ? xOf(y, odd) : null;
  return x === null ? null : [x, y, 1n, modulo(x * y)];
}

function decoded(bytes: Uint8Array): Point | null {
  const number = littleEndian(bytes);
  return pointOf(number & (2n ** 255n - 1n), number >> 255n);
}

/** The number that a point's 32 bytes are, little end first. */
function encoded([x, y, z]: Point): bigint {
  const scale = inverse(z);
  return modulo(y * scale) | ((modulo(x * scale) & 1n) << 255n);
}

const BASE = pointOf(modulo(4n * inverse(5n)), 0n) ?? NEUTRAL;

/** Whether a signature of 64 bytes under a raw public key of 32 is that of this message. */
export function isSigned(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const point = key.length === 32 && signature.length === 64 ? decoded(key) : null;
  const factor = littleEndian(signature.subarray(32));
  if (point === null || factor >= ORDER) return false;
  const start = signature.subarray(0, 32);
  const challenge = littleEndian(sha512(joined(start, key, message))) % ORDER;
  const [x, y, z, t] = point;
  const opposite: Point = [modulo(-x), y, z, modulo(-t)];
  return encoded(sum(times(factor, BASE), times(challenge, opposite))) === littleEndian(start);
}
