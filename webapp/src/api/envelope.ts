/** Around every answer. `reason` names a refusal; `more` and `cursor` stand beside a list. */
export interface Envelope<Data> {
  code: number;
  msg: unknown;
  time: number;
  data: Data;
  reason?: string;
  /** The part of the request that a refusal blames. */
  field?: string;
  request_id?: string;
  more?: boolean;
  cursor?: string | null;
}
