import { K_256, START_256 } from "./constants.ts";
import { type Bytes, joined } from "./encoding.ts";

const BLOCK = 64;
type Eight = [number, number, number, number, number, number, number, number];

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** The message, a bit, zeros, and its length in bits, in whole blocks. */
function padded(message: Uint8Array): DataView {
  const blocks = Math.ceil((message.length + 9) / BLOCK);
  const whole = new Uint8Array(blocks * BLOCK);
  whole.set(message);
  whole[message.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setUint32(whole.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(whole.length - 4, message.length << 3);
  return view;
}

/** A block's sixteen words, and the forty-eight that follow from them. */
function schedule(block: DataView, at: number): Uint32Array {
  const words = new Uint32Array(64);
  const word = (index: number) => words[index] ?? 0;
  for (let index = 0; index < 16; index++) words[index] = block.getUint32(at + 4 * index);
  for (let index = 16; index < 64; index++) {
    const [early, late] = [word(index - 15), word(index - 2)];
    const low = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const high = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    words[index] = word(index - 16) + low + word(index - 7) + high;
  }
  return words;
}

function compressed(state: Uint32Array, words: Uint32Array): Uint32Array {
  let [a, b, c, d, e, f, g, h] = [...state] as Eight;
  for (let index = 0; index < 64; index++) {
    const mixed = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const first = (h + mixed + chosen + (K_256[index] ?? 0) + (words[index] ?? 0)) | 0;
    const turned = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const most = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b] = [g, f, e, (d + first) | 0, c, b, a];
    a = (first + turned + most) | 0;
  }
  const added = [a, b, c, d, e, f, g, h];
  return state.map((word, index) => word + (added[index] ?? 0));
}

/** SHA-256 (FIPS 180-4) of our own, for pages without WebCrypto. */
export function sha256(message: Uint8Array): Bytes {
  const view = padded(message);
  let state = Uint32Array.from(START_256);
  for (let at = 0; at < view.byteLength; at += BLOCK) {
    state = Uint32Array.from(compressed(state, schedule(view, at)));
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setUint32(4 * index, word);
  return new Uint8Array(digest.buffer);
}

/** HMAC-SHA256 (RFC 2104). */
export function hmac(key: Uint8Array, message: Uint8Array): Bytes {
  const block = new Uint8Array(BLOCK);
  block.set(key.length > BLOCK ? sha256(key) : key);
  const under = (mask: number) => block.map((byte) => byte ^ mask);
  return sha256(joined(under(0x5c), sha256(joined(under(0x36), message))));
}
