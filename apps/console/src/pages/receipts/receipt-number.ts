import { textOf } from "../../forms/form-data.ts";

/** The receipt number in a field: people type it in small letters, and copy it with spaces. */
export const receiptNumberOf = (entered: FormData, field: string): string =>
	textOf(entered, field).replaceAll(/\s/g, "").toUpperCase();

/** Whether a text has the form of the receipt numbers of the mobile-money gateway. */
export const isReceiptNumber = (text: string): boolean => /^[A-Z0-9]{6,20}$/.test(text);
