import type { PayoutType } from "../../api/types.ts";

/** A payout account as it is sent; of a wallet `acc` is the address and `acc_name` its type. */
export interface AccountForm {
  type: PayoutType;
  acc: string;
  acc_name: string;
  acc_bank: string;
}

export type AccountField = "acc" | "acc_name" | "acc_bank";

/** Fields that are still empty, in the order in which they stand on the form. */
export function emptyFields(form: AccountForm, fields: readonly AccountField[]): AccountField[] {
  return fields.filter((field) => form[field].trim() === "");
}

/** A card number in groups of four, as it is embossed; whatever is no digit is left out. */
export function grouped(typed: string): string {
  const digits = typed.normalize("NFKC").replace(/\D/g, "");
  return digits.replace(/(\d{4})(?=\d)/g, "$1 ");
}
