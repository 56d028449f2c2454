import type { paths } from "./schema.d.ts";

/** An operation that answers with the envelope. */
interface Answering {
  responses: { 200: { content: { "application/json": unknown } } };
}

interface Posted extends Answering {
  requestBody: { content: { "application/json": unknown } };
}

/** What an accepted call has in `data`. */
type Data<Call extends Answering> =
  Extract<Call["responses"][200]["content"]["application/json"], { code: 1 }> extends {
    data: infer Held;
  }
    ? Held
    : never;

type Described<Methods> = Methods extends { post: infer Post extends Posted }
  ? { body: Post["requestBody"]["content"]["application/json"]; data: Data<Post> }
  : Methods extends { get: infer Get extends Answering }
    ? { body: Record<string, never>; data: Data<Get> }
    : never;

/** Path below /api → what it takes and what its `data` holds. */
export type Calls = {
  [P in keyof paths as P extends `/api/${infer Below}` ? Below : never]: Described<paths[P]>;
};

export type Path = keyof Calls;
