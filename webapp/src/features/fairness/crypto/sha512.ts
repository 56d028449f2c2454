import { K_512, START_512 } from "./constants.ts";
import type { Bytes } from "./encoding.ts";

const BLOCK = 128;
const MASK = (1n << 64n) - 1n;
type Eight = [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];

function rotated(word: bigint, by: bigint): bigint {
  return ((word >> by) | (word << (64n - by))) & MASK;
}

/** The message, a bit, zeros, and its length in bits, in whole blocks. */
function padded(message: Uint8Array): DataView {
  const blocks = Math.ceil((message.length + 17) / BLOCK);
  const whole = new Uint8Array(blocks * BLOCK);
  whole.set(message);
  whole[message.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setBigUint64(whole.length - 8, 8n * BigInt(message.length));
  return view;
}

function schedule(block: DataView, at: number): bigint[] {
  const words: bigint[] = [];
  const word = (index: number) => words[index] ?? 0n;
  for (let index = 0; index < 16; index++) words.push(block.getBigUint64(at + 8 * index));
  for (let index = 16; index < 80; index++) {
    const [early, late] = [word(index - 15), word(index - 2)];
    const low = rotated(early, 1n) ^ rotated(early, 8n) ^ (early >> 7n);
    const high = rotated(late, 19n) ^ rotated(late, 61n) ^ (late >> 6n);
    words.push((word(index - 16) + low + word(index - 7) + high) & MASK);
  }
  return words;
}

function compressed(state: Eight, words: bigint[]): Eight {
  let [a, b, c, d, e, f, g, h] = state;
  for (const [index, word] of words.entries()) {
    const mixed = rotated(e, 14n) ^ rotated(e, 18n) ^ rotated(e, 41n);
    const chosen = (e & f) ^ (~e & MASK & g);
    const first = h + mixed + chosen + (K_512[index] ?? 0n) + word;
    const turned = rotated(a, 28n) ^ rotated(a, 34n) ^ rotated(a, 39n);
    const most = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b] = [g, f, e, (d + first) & MASK, c, b, a];
    a = (first + turned + most) & MASK;
  }
  const added = [a, b, c, d, e, f, g, h];
  return state.map((word, index) => (word + (added[index] ?? 0n)) & MASK) as Eight;
}

/** SHA-512 (FIPS 180-4), which Ed25519 is made with. Slow, and short messages do not mind. */
export function sha512(message: Uint8Array): Bytes {
  const view = padded(message);
  let state = [...START_512] as Eight;
  for (let at = 0; at < view.byteLength; at += BLOCK) {
    state = compressed(state, schedule(view, at));
  }
  const digest = new DataView(new ArrayBuffer(64));
  for (const [index, word] of state.entries()) digest.setBigUint64(8 * index, word);
  return new Uint8Array(digest.buffer);
}
